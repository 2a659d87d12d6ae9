package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.testing.WarmUp;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

/** How many watchers the client keeps. */
class WatchersIT {

    private static final Duration SESSION = ZooKeeperClients.SESSION;
    private static final LockRequest SHORT_WAIT = LockRequest.of("leader").waitingUpTo(Duration.ofMillis(20));

    @Test
    void keepsOneWatcherOfManyWaitsForOneHolder() throws Exception {
        String server = ZooKeeperServers.shared().address();
        try (ZooKeeperLockBackend holding = ZooKeeperClients.backend(server, SESSION);
                CuratorFramework client = ZooKeeperClients.connect(server, SESSION);
                ZooKeeperLockBackend polling = new ZooKeeperLockBackend(client, ZooKeeperClients.settings(SESSION));
                Application holder = Application.over(holding);
                Application poller = Application.over(polling)) {
            WarmUp.connect(holder.locks(), "warm-up");
            WarmUp.connect(poller.locks(), "warm-up");
            LockHandle held = holder.locks().acquire("leader");
            for (int i = 0; i < 50; i++) {
                assertThat(poller.locks().tryAcquire(SHORT_WAIT)).isEmpty();
            }
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(dataWatchers(client)).isEqualTo(1));

            CompletableFuture<LockHandle> waiting =
                    poller.locks().acquireAsync(SHORT_WAIT.waitingUpTo(Duration.ofSeconds(20)));
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> !poller.admin().waiters().isEmpty());
            held.close();

            assertThat(waiting).succeedsWithin(Duration.ofSeconds(15)).satisfies(LockHandle::close);
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(dataWatchers(client)).isZero());
        }
    }

    /** Of locks: the client has one of its own. It shows paths only, and not how many watchers each has. */
    private static int dataWatchers(CuratorFramework client) throws Exception {
        Method manager = ZooKeeper.class.getDeclaredMethod("getWatchManager");
        manager.setAccessible(true);
        Object watches = manager.invoke(client.getZookeeperClient().getZooKeeper());
        Field byPath = watches.getClass().getDeclaredField("dataWatches");
        byPath.setAccessible(true);
        Map<?, ?> watchers = (Map<?, ?>) byPath.get(watches);
        synchronized (watchers) {
            return watchers.entrySet().stream()
                    .filter(each -> ((String) each.getKey()).startsWith("/test/locks/"))
                    .mapToInt(each -> ((Set<?>) each.getValue()).size())
                    .sum();
        }
    }
}

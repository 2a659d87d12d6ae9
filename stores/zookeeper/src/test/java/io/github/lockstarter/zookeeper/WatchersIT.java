package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many watchers the client and the server keep. */
@Timeout(300)
class WatchersIT {

    private static final Duration SESSION = ZooKeeperClients.SESSION;
    private static final Pattern TOTAL = Pattern.compile("zk_watch_count\\s+(\\d+)");

    private static final int KEYS = 20;
    private static final int ROUNDS = 3;

    private final ZooKeeperServer server = ZooKeeperServers.shared();
    private CuratorFramework client;
    private ZooKeeperLockBackend holding;
    private ZooKeeperLockBackend waiting;
    private Application holder;
    private Application waiter;
    private int watchesOfIdleClients;

    @BeforeEach
    void start() {
        client = ZooKeeperClients.unstarted(server.address(), SESSION);
        holding = ZooKeeperClients.backend(server.address(), SESSION);
        waiting = new ZooKeeperLockBackend(client, ZooKeeperClients.settings(SESSION));
        holder = Application.over(holding);
        waiter = Application.over(waiting);
        WarmUp.connect(holder.locks(), "warm-up");
        WarmUp.connect(waiter.locks(), "warm-up");
        watchesOfIdleClients = watchesOfServer();
    }

    @AfterEach
    void close() {
        waiter.close();
        waiting.close();
        client.close();
        holder.close();
        holding.close();
    }

    /** Not one per wait: the next wait behind the same node reuses the watch of the one before. */
    @Test
    void waitsThatAreGivenUpLeaveOneWatchPerHeldLock() {
        List<LockHandle> held = IntStream.range(0, KEYS)
                .mapToObj(i -> holder.locks().acquire("held:" + i))
                .toList();

        for (int round = 0; round < ROUNDS; round++) {
            List<CompletableFuture<LockHandle>> waits = IntStream.range(0, KEYS)
                    .mapToObj(i -> waiter.locks()
                            .acquireAsync(LockRequest.of("held:" + i).maxWait(Duration.ofMillis(20))))
                    .toList();
            waits.forEach(wait -> assertThat(wait).failsWithin(Patience.TIME));
        }

        awaitWatches(2 * KEYS, KEYS); // each holder watches its own node
        held.forEach(LockHandle::close);
        awaitWatches(0, 0);
    }

    /** The control: with a watcher of its own for each wait, the same count grows with the waits. */
    @Test
    @Tag(Effort.FULL)
    void countsEachWatcherOfOneNode() throws Exception {
        LockHandle held = holder.locks().acquire("held");
        String queue = "/test/locks/lock%3Aheld";
        String node = queue + '/' + client.getChildren().forPath(queue).get(0);

        for (int i = 0; i < ROUNDS; i++) {
            AtomicInteger ofThisRound = new AtomicInteger();
            client.getChildren()
                    .usingWatcher((Watcher) event -> ofThisRound.incrementAndGet())
                    .forPath(node);
        }

        awaitWatches(2, ROUNDS); // the server keeps one per connection and node
        held.close();
        awaitWatches(0, 0);
    }

    @Test
    @Tag(Effort.FULL)
    void waitsThatAreGrantedLeaveNoWatchers() {
        LockRequest request = LockRequest.of("contended").maxWait(Patience.TIME);
        List<CompletableFuture<?>> ends = new ArrayList<>();
        for (int i = 0; i < 25 * KEYS; i++) {
            ends.add(holder.locks().acquireAsync(request).thenAccept(LockHandle::close));
            ends.add(waiter.locks().acquireAsync(request).thenAccept(LockHandle::close));
        }

        assertThat(CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new)))
                .succeedsWithin(Patience.TIME.multipliedBy(2));
        awaitWatches(0, 0);
    }

    private void awaitWatches(int onServer, int inClient) {
        await().untilAsserted(() -> {
            assertThat(watchesOfServer() - watchesOfIdleClients).isEqualTo(onServer);
            assertThat(watchersOfClient()).isEqualTo(inClient);
        });
    }

    private int watchesOfServer() {
        Matcher total = TOTAL.matcher(server.ask("mntr"));
        assertThat(total.find()).isTrue();
        return Integer.parseInt(total.group(1));
    }

    /** Of the waiter for locks: the client has one of its own. */
    private int watchersOfClient() throws Exception {
        Method manager = ZooKeeper.class.getDeclaredMethod("getWatchManager");
        manager.setAccessible(true);
        Object watches = manager.invoke(client.getZookeeperClient().getZooKeeper());
        int count = 0;
        for (String kind : List.of("dataWatches", "existWatches", "childWatches")) {
            Field byPath = watches.getClass().getDeclaredField(kind);
            byPath.setAccessible(true);
            Map<?, ?> watchers = (Map<?, ?>) byPath.get(watches);
            synchronized (watchers) {
                count += watchers.entrySet().stream()
                        .filter(each -> ((String) each.getKey()).startsWith("/test/locks/"))
                        .mapToInt(each -> ((Set<?>) each.getValue()).size())
                        .sum();
            }
        }
        return count;
    }
}

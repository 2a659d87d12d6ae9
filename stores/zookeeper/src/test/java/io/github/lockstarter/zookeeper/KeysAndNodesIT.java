package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes of locks in ZooKeeper, and leftovers. */
class KeysAndNodesIT {

    @Test
    void leavesNoNodesBehind() throws Exception {
        ZooKeeperLockSettings settings = new ZooKeeperLockSettings(
                "/nodes/locks", "lock:", ZooKeeperClients.COMMAND_TIMEOUT, ZooKeeperClients.SESSION);
        try (CuratorFramework look =
                        ZooKeeperClients.unstarted(ZooKeeperServers.shared().address(), ZooKeeperClients.SESSION);
                ZooKeeperLockBackend backend = new ZooKeeperLockBackend(look, settings);
                Application application = Application.over(backend)) {
            for (int i = 0; i < 100; i++) {
                application.locks().acquire("key:" + i).close();
            }
            LockHandle held = application.locks().acquire("key:held"); // otherwise the server may have finished already
            assertThat(look.getChildren().forPath("/nodes/locks")).isNotEmpty();
            held.close();

            await().untilAsserted(() ->
                    assertThat(look.checkExists().forPath("/nodes")).isNull());
        }
    }

    /** One that deletes only what a client tells it to, as a leader that gets more new keys than it can remove. */
    @Test
    @Tag(Effort.FULL)
    void deletesTheNodesOfItsKeysItself() {
        List<String> options = List.of("-Dzookeeper.forceSync=no", "-Dznode.container.checkIntervalMs=3600000");
        try (ZooKeeperServer server = ZooKeeperServer.startWith(options, ZooKeeperServers.SESSIONS);
                ZooKeeperLockBackend backend = ZooKeeperClients.backend(server.address(), ZooKeeperClients.SESSION);
                Application application = Application.over(backend)) {
            application.locks().acquire("key").close();
            int before = nodes(server);
            LockHandle held = application.locks().acquire("held");
            for (int i = 0; i < 1_000; i++) {
                application.locks().acquire("key:" + i).close();
            }

            await().untilAsserted(() -> assertThat(nodes(server)).isBetween(before, before + 2));
            held.close();
            await().untilAsserted(() -> assertThat(nodes(server)).isLessThan(before));
        }
    }

    private static int nodes(ZooKeeperServer server) {
        Matcher count = Pattern.compile("Node count: (\\d+)").matcher(server.ask("srvr"));
        return count.find() ? Integer.parseInt(count.group(1)) : -1;
    }

    @Test
    void locksKeysOfAllSizesAndCharacters() {
        String server = ZooKeeperServers.shared().address();
        List<String> keys = List.of(
                "a/b//c/",
                "/",
                ".",
                "..",
                "%",
                "锁🔒",
                "x".repeat(LockRequest.MAX_KEY_LENGTH),
                "x".repeat(LockRequest.MAX_KEY_LENGTH - 1) + "y",
                "锁".repeat(LockRequest.MAX_KEY_LENGTH));
        List<LockHandle> held = new ArrayList<>();
        try (ZooKeeperLockBackend backend = ZooKeeperClients.backend(server, ZooKeeperClients.SESSION);
                ZooKeeperLockBackend other = ZooKeeperClients.backend(server, ZooKeeperClients.SESSION);
                Application one = Application.over(backend);
                Application two = Application.over(other)) {
            for (String key : keys) {
                held.add(one.locks().acquire(key));
            }
            for (String key : keys) {
                assertThat(two.locks().tryAcquire(key)).isEmpty();
            }
            held.forEach(LockHandle::close);
            for (String key : keys) {
                two.locks().acquire(key).close();
            }
        }
    }
}

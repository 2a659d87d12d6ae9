package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;

/** Nodes of locks in ZooKeeper, and leftovers. */
class KeysAndNodesIT {

    private static final Duration SESSION = Duration.ofSeconds(4);

    @Test
    void leavesNoNodesBehind() throws Exception {
        try (ZooKeeperServer server = ZooKeeperServers.start();
                CuratorFramework look = ZooKeeperClients.connect(server.address(), SESSION);
                ZooKeeperLockBackend backend = new ZooKeeperLockBackend(look, ZooKeeperClients.settings(SESSION));
                Application application = Application.over(backend)) {
            for (int i = 0; i < 300; i++) {
                application.locks().acquire("key:" + i).close();
            }
            LockHandle held = application.locks().acquire("key:held"); // otherwise the server may have finished already
            assertThat(look.getChildren().forPath("/test/locks")).isNotEmpty();
            held.close();

            await().atMost(Patience.TIME)
                    .untilAsserted(
                            () -> assertThat(look.getChildren().forPath("/")).containsExactly("zookeeper"));
        }
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
        try (ZooKeeperLockBackend backend = ZooKeeperClients.backend(server, SESSION);
                ZooKeeperLockBackend other = ZooKeeperClients.backend(server, SESSION);
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

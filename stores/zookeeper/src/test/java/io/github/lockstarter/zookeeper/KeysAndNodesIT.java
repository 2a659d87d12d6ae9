package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
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

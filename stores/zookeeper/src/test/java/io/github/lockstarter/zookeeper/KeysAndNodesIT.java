package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
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
}

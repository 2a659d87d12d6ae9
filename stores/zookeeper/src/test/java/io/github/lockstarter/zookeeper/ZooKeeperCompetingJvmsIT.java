package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.contract.CompetingJvm;
import io.github.lockstarter.contract.CompetingJvmsContract;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;

/** Locks of a killed holder end with its session, which is as long as the lease here. */
@Tag(Effort.FULL)
class ZooKeeperCompetingJvmsIT extends CompetingJvmsContract {

    ZooKeeperCompetingJvmsIT() {
        super(ZooKeeperCompetingJvmsIT.class, ZooKeeperStore::new);
    }

    public static void main(String[] arguments) {
        CompetingJvm.run(arguments, (lease, address) -> ZooKeeperClients.backend(address.get(0), lease));
    }

    @Override
    protected List<String> address() {
        return List.of(ZooKeeperServers.shared().address());
    }

    @Override
    protected void assertNothingLeft() {
        try (CuratorFramework look =
                ZooKeeperClients.connected(ZooKeeperServers.shared().address(), ZooKeeperClients.SESSION)) {
            await().untilAsserted(() -> assertThat(look.checkExists().forPath("/test/locks/lock%3Acompeting-jvms"))
                    .isNull());
        }
    }
}

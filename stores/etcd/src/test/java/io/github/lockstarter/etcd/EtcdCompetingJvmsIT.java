package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.contract.CompetingJvm;
import io.github.lockstarter.contract.CompetingJvmsContract;
import io.github.lockstarter.kit.server.EtcdServer;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag(Effort.FULL)
class EtcdCompetingJvmsIT extends CompetingJvmsContract {

    private static EtcdServer server;

    EtcdCompetingJvmsIT() {
        super(EtcdCompetingJvmsIT.class, () -> new EtcdStore(server));
    }

    @BeforeAll
    static void start() {
        EtcdPresence.assume();
        server = EtcdServer.start("--unsafe-no-fsync");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    public static void main(String[] arguments) {
        CompetingJvm.run(arguments, (lease, address) -> new EtcdStore(address.get(0)).connect());
    }

    @Override
    protected List<String> address() {
        return List.of(server.endpoint());
    }

    @Override
    protected void assertNothingLeft() {
        try (EtcdClient client = new EtcdClient(EtcdStore.settings(server.endpoint()), Runnable::run)) {
            await().untilAsserted(() -> assertThat(EtcdScenario.keys(client)).isZero());
        }
    }
}

package io.github.lockstarter.benchmarks.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
@Tag("full")
class ServersIT {

    @ParameterizedTest
    @EnumSource
    void startOnceAndReportTheirVersions(ServerKind kind) {
        assumeThat(kind.isPresent()).isTrue();
        try (Servers servers = new Servers()) {
            StoreServer server = servers.get(kind);

            assertThat(servers.get(kind)).isSameAs(server);
            assertThat(server.address()).isNotBlank().doesNotContain(" ");
            assertThat(servers.descriptions().get(kind.label())).matches("\\d+\\.\\d+.*same machine.*");
            Awaitility.await()
                    .until(() -> server.dataSize() >= 0 && server.cpuTime().toNanos() > 0);
        }
    }
}

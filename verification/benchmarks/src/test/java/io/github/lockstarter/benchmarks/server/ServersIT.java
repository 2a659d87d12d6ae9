package io.github.lockstarter.benchmarks.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.benchmarks.jvm.ChildJvm;
import io.github.lockstarter.benchmarks.jvm.ChildTask;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@Tag("full")
class ServersIT {

    /** Starts a server and tells where it listens. */
    public static final class Starting implements ChildTask {

        private final Servers servers = new Servers();

        @Override
        public String answer(String... words) {
            return servers.addresses(Set.of(ServerKind.valueOf(words[0]))).of(ServerKind.valueOf(words[0]));
        }
    }

    @ParameterizedTest
    @EnumSource
    void startOnceAndTellWhatRuns(ServerKind kind) {
        assumeThat(kind.isPresent()).isTrue();
        try (Servers servers = new Servers()) {
            StoreServer server = servers.get(kind);

            assertThat(servers.get(kind)).isSameAs(server);
            assertThat(server.address()).isNotBlank().doesNotContain(" ");
            assertThat(servers.descriptions().get(kind.label())).matches("\\d+\\.\\d+.*same machine.*");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> server.dataSize() >= 0 && server.cpuTime().toNanos() > 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void endWithTheJvmThatIsKilled(ServerKind kind) {
        assumeThat(kind.isPresent()).isTrue();
        String address;
        try (ChildJvm child = ChildJvm.start(Starting.class)) {
            address = child.ask(kind);
            assertThat(port(address).accepts()).isTrue();

            child.kill();
        }

        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> !port(address)
                .accepts());
    }

    private static LoopbackPort port(@Nullable String address) {
        assertThat(address).isNotNull();
        return new LoopbackPort(Integer.parseInt(address.replaceAll(".*:(\\d+).*", "$1")));
    }
}

package io.github.lockstarter.faults.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.topology.Address;
import io.github.lockstarter.faults.worker.WorkerOptions.Client;
import io.github.lockstarter.faults.worker.WorkerOptions.Guard;
import io.github.lockstarter.faults.worker.WorkerOptions.Load;
import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import io.lettuce.core.internal.HostAndPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerOptionsTests {

    private final Address address = new Address(
            Address.Kind.CLUSTER,
            List.of("127.0.0.1:1", "127.0.0.1:2"),
            Map.of("127.0.0.1:1", "127.0.0.1:11", "127.0.0.1:2", "127.0.0.1:12"),
            Duration.ofMillis(500));

    @Test
    void readsTheTextThatItWrites() {
        for (Setup setup : List.of(
                Setup.STARTER,
                Setup.STARTER.of(Client.REDISSON),
                Setup.STARTER.takingOverAfter(Duration.ZERO).without(Guard.TAKEOVER_TIME),
                Setup.STARTER.without(Guard.HISTORY).without(Guard.FENCING).without(Guard.HAND_OVER_BOUND))) {
            WorkerOptions options = new WorkerOptions(
                    "w1.2", address, 4711, Path.of("w1.2.ndjson"), 42, setup, new Load(3, 2, 1, Duration.ofMillis(7)));
            assertThat(WorkerOptions.parse(options.toArguments())).isEqualTo(options);
            assertThat(options.instance()).isEqualTo("w1");
        }
    }

    @Test
    void connectsToTheProxyInFrontOfAServer() {
        assertThat(address.route(HostAndPort.of("127.0.0.1", 2))).isEqualTo(HostAndPort.of("127.0.0.1", 12));
        assertThat(address.route(HostAndPort.of("127.0.0.1", 3))).isEqualTo(HostAndPort.of("127.0.0.1", 3));
    }
}

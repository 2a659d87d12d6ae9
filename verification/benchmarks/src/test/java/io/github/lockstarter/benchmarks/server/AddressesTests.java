package io.github.lockstarter.benchmarks.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AddressesTests {

    private static final String JDBC = "jdbc:postgresql://localhost:5432/postgres?user=postgres&a=b";

    private final Addresses addresses = new Addresses(Map.of(
            ServerKind.REDIS, "127.0.0.1:6379",
            ServerKind.POSTGRESQL, JDBC,
            ServerKind.ZOOKEEPER, "127.0.0.1:2181,127.0.0.1:2182"));

    @Test
    void areTheSameInAChildJvm() {
        String word = addresses.format();

        assertThat(word).doesNotContain(" ");
        assertThat(Addresses.parse(word)).isEqualTo(addresses);
    }

    @Test
    void showHostAndPortOfRedis() {
        assertThat(addresses.redis().getHost()).isEqualTo("127.0.0.1");
        assertThat(addresses.redis().getPort()).isEqualTo(6379);
    }

    @Test
    void rejectAServerThatIsNotRunning() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> addresses.of(ServerKind.ETCD))
                .withMessageContaining("No address of ETCD");
    }
}

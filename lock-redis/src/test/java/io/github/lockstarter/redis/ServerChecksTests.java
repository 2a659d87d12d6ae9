package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerChecksTests {

    private final RedisConnector connector = mock(RedisConnector.class);

    @Test
    void warnsOfAGracePeriodThatMayEndBeforeASecondStaticMasterIsFound() {
        when(connector.hasStaticNodes()).thenReturn(true);

        assertThat(warnings(8_000))
                .singleElement()
                .asString()
                .contains("grace period is 8s", "four times distributed-lock.redis.command-timeout (2s)");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8_001})
    void acceptsALongerGracePeriodAndNone(long grace) {
        when(connector.hasStaticNodes()).thenReturn(true);

        assertThat(warnings(grace)).isEmpty();
    }

    @Test
    void acceptsAnyGracePeriodOfOneServer() {
        assertThat(warnings(1_000)).isEmpty();
    }

    private List<String> warnings(long grace) {
        when(connector.target()).thenReturn(new Target("localhost:6379", false, RedisSetup.APPLICATION));
        RedisSettings settings = new RedisSettings(
                "lock:", Duration.ofSeconds(2), RedisSettings.HistoryGuard.of(Duration.ofMillis(grace)));
        return new ServerChecks(mock(RedisConnections.class), connector, settings, new KeySpace("lock:")).warnings();
    }
}

package io.github.lockstarter.redis.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisConnectionException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

class RedisFailureTests {

    private static final RedisExceptionTranslator FAILURES =
            new RedisExceptionTranslator(new StubRedisConnector(), RedisSettings.DEFAULTS);

    @Test
    void keepsTypesAndMessagesOfTheCausesAndFewOfTheirFrames() {
        ConnectException refused = new ConnectException("Connection refused");
        Throwable cause = FAILURES.ofConnecting(new RedisConnectionException("Unable to connect", refused))
                .cause();
        assertThat(cause).hasMessage("Unable to connect").hasCause(refused);
        assertThat(cause.getStackTrace()).hasSize(3);
        assertThat(refused.getStackTrace()).hasSize(3);
    }

    @Test
    void keepsAllFramesOfOtherFailures() {
        Throwable bug = new IllegalStateException("bug");
        int frames = bug.getStackTrace().length;
        assertThat(FAILURES.ofReply(bug).cause().getStackTrace()).hasSize(frames);
    }
}

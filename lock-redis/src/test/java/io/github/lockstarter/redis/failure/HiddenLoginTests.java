package io.github.lockstarter.redis.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No server listens there. Lettuce masks each character of a password with an asterisk. */
class HiddenLoginTests {

    private static final RedisSettings SETTINGS = RedisSettings.DEFAULTS;
    private static final String PASSWORD = "s3cret";

    enum Topology {
        SERVER(1) {
            @Override
            RedisConnector connector() {
                return new DirectRedisConnector(address(1), SETTINGS);
            }
        },
        STATIC_NODES(2) {
            @Override
            RedisConnector connector() {
                return DirectRedisConnector.toMasterAmong(List.of(address(1), address(2)), SETTINGS);
            }
        },
        ONE_SENTINEL(1) {
            @Override
            RedisConnector connector() {
                return new DirectRedisConnector(sentinels(1), SETTINGS);
            }
        },
        SENTINELS(2) {
            @Override
            RedisConnector connector() {
                return new DirectRedisConnector(sentinels(2), SETTINGS);
            }
        },
        CLUSTER(2) {
            @Override
            RedisConnector connector() {
                return DirectRedisConnector.toCluster(List.of(address(1), address(2)), SETTINGS);
            }
        };

        private final int servers;

        Topology(int servers) {
            this.servers = servers;
        }

        abstract RedisConnector connector();

        static RedisURI address(int port) {
            return RedisURI.create("redis://app:" + PASSWORD + "@127.0.0.1:" + port);
        }

        static RedisURI sentinels(int count) {
            RedisURI uri = RedisURI.builder()
                    .withSentinelMasterId("locks")
                    .withSentinel(address(1))
                    .withPassword(PASSWORD.toCharArray())
                    .build();
            if (count > 1) {
                uri.getSentinels().add(address(2));
            }
            return uri;
        }
    }

    @Test
    void keepsTheTypesOfCausesAndSuppressedFailures() {
        RedisException failure = new RedisException(
                "redis://:**@a:1, redis://:**@b:1", new RedisCommandTimeoutException("redis://:**@a:1"));
        failure.addSuppressed(new RedisException("b", new RedisCommandExecutionException("redis://:**@b:1")));

        Throwable shown = new RedisFailure(RedisFailure.FailureEffect.NONE, "x", "y", failure).cause();

        assertThat(shown).hasMessage("redis://a:1, redis://b:1").hasStackTraceContaining("keepsTheTypes");
        assertThat(shown.getCause())
                .isInstanceOf(RedisCommandTimeoutException.class)
                .hasMessage("redis://a:1");
        assertThat(shown.getSuppressed()).singleElement().satisfies(suppressed -> assertThat(suppressed)
                .hasMessage("b")
                .cause()
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessage("redis://b:1"));
    }

    /** Lettuce shows a user decoded. */
    @ParameterizedTest
    @ValueSource(strings = {"app", "DOMAIN/app", "a@b/c", ""})
    void omitsEveryUser(String user) {
        assertThat(ExceptionCauses.withoutLogins("no redis://" + user + ":******@h:1, rediss://" + user + ":**@i:2/3"))
                .isEqualTo("no redis://h:1, rediss://i:2/3");
        assertThat(ExceptionCauses.withoutLogins("no redis://an " + user + ":******@h:1"))
                .doesNotContain("*");
    }

    /** It runs on the event loop, whatever an application's or a client's code has linked. */
    @Test
    void endsForFailuresThatAreTheirOwnReason() {
        RedisException cause = new RedisException("redis://:**@a:1");
        cause.initCause(new RedisException("redis://:**@b:1", cause));
        RedisException suppressed = new RedisException("redis://:**@a:1");
        RedisException other = new RedisException("b");
        suppressed.addSuppressed(other);
        other.addSuppressed(suppressed);

        for (RedisException failure : List.of(cause, suppressed)) {
            RedisFailure shown = new RedisFailure(RedisFailure.FailureEffect.NONE, "x", "y", failure);
            assertThat(shown.cause()).hasMessage("redis://a:1");
            assertThat(ExceptionCauses.rootOf(failure)).isInstanceOf(RedisException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noFailureShowsAPasswordOrItsLength(Topology topology) {
        try (RedisLockBackend backend = new RedisLockBackend(topology.connector(), SETTINGS)) {
            RedisUnavailableException failure = catchThrowableOfType(RedisUnavailableException.class, backend::start);

            StringWriter text = new StringWriter();
            failure.printStackTrace(new PrintWriter(text));
            assertThat(text.toString())
                    .contains(IntStream.rangeClosed(1, topology.servers)
                            .mapToObj(port -> "refused: /127.0.0.1:" + port)
                            .toList())
                    .doesNotContain(PASSWORD)
                    .doesNotContain("**");
        }
    }
}

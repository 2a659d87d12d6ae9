package io.github.lockstarter.redis.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No server listens there. Lettuce masks each character of a password with an asterisk. */
class HiddenLoginTests {

    private static final RedisSettings SETTINGS = RedisSettings.DEFAULTS;
    private static final String PASSWORD = "s3cret";

    enum Topology {
        SERVER {
            @Override
            RedisConnector connector() {
                return new DirectRedisConnector(address(1), SETTINGS);
            }
        },
        STATIC_NODES {
            @Override
            RedisConnector connector() {
                return DirectRedisConnector.toMasterAmong(List.of(address(1), address(2)), SETTINGS);
            }
        },
        ONE_SENTINEL {
            @Override
            RedisConnector connector() {
                return new DirectRedisConnector(sentinels(1), SETTINGS);
            }
        },
        SENTINELS {
            @Override
            RedisConnector connector() {
                return new DirectRedisConnector(sentinels(2), SETTINGS);
            }
        },
        CLUSTER {
            @Override
            RedisConnector connector() {
                return DirectRedisConnector.toCluster(List.of(address(1), address(2)), SETTINGS);
            }
        };

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

    @ParameterizedTest
    @EnumSource
    void noFailureShowsAPasswordOrItsLength(Topology topology) {
        try (RedisLockBackend backend = new RedisLockBackend(topology.connector(), SETTINGS)) {
            RedisUnavailableException failure = catchThrowableOfType(RedisUnavailableException.class, backend::start);

            StringWriter text = new StringWriter();
            failure.printStackTrace(new PrintWriter(text));
            assertThat(text.toString())
                    .contains("127.0.0.1")
                    .doesNotContain(PASSWORD)
                    .doesNotContain("**");
        }
    }
}

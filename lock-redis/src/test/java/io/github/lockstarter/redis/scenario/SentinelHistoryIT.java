package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The history guard where sentinels promote. */
@Tag(Effort.FULL)
class SentinelHistoryIT extends HistoryFailover {

    @RegisterExtension
    static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

    @ParameterizedTest
    @Tag(Effort.TIMING)
    @MethodSource("io.github.lockstarter.redis.scenario.RedisScenario#seeds")
    void grantsAgainSoonAfterTheGracePeriodWhenTheMasterHangs(long seed) {
        assertThat(timeToGrantAgain(seed, RedisServer::pause)).isLessThan(lease().plusSeconds(10));
    }

    @Override
    Duration lease() {
        return Duration.ofSeconds(10);
    }

    @Override
    RedisStore servers() {
        return RedisStore.of(REDIS.topology());
    }

    @Override
    RedisServer master() {
        return REDIS.topology().master();
    }

    @Override
    void cutReplication(RedisServer master) {
        // The link is cut, not the replica stopped: its sentinels must find it fit.
        REDIS.topology().servers().stream().filter(server -> server != master).forEach(server -> server.commands()
                .replicaof("127.0.0.1", 1));
    }

    @Override
    long promotions() {
        return REDIS.topology().promotions();
    }

    @Override
    void restore() {
        REDIS.topology().reset();
    }

    @Override
    void awaitPromotion(RedisServer before) {
        REDIS.topology().awaitPromotion(before);
    }
}

package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Acknowledgement at a server without replicas: one counts as missing. */
class TakeoverAcknowledgementIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final String instance = UUID.randomUUID().toString().replace("-", "");
    private final String trace = GuardedScripts.traceOf(instance);
    private final RedisCommands<String, String> redis = REDIS.server().commands();
    private final List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());
    private final TakeoverAcknowledgement acknowledgement = new TakeoverAcknowledgement(
            new DirectRedisConnector(REDIS.server().uri(), RedisStore.SETTINGS),
            GuardedScripts.TAKEOVERS,
            RedisStore.SETTINGS);

    @BeforeEach
    void begin() {
        acknowledgement.report(acknowledged::add);
        redis.hset(GuardedScripts.TAKEOVERS, trace, "17 60");
        acknowledgement.begin(instance + " 17", "order:42");
        await().until(acknowledgement::isUnacknowledged);
    }

    @AfterEach
    void close() {
        acknowledgement.close();
    }

    @Test
    void waitsForAReplicaAndKeepsTheTrace() {
        assertThat(redis.hget(GuardedScripts.TAKEOVERS, trace)).isEqualTo("17 60");
        assertThat(acknowledged).isEmpty();
    }

    /** The owner was connected again meanwhile, and another mark has started. */
    @Test
    void doesNotWaitForAReplicaOnceTheTraceHasChanged() {
        redis.hset(GuardedScripts.TAKEOVERS, trace, "18 60");
        acknowledgement.begin(instance + " 17", "order:42");
        await().until(() -> !acknowledgement.isUnacknowledged());
        assertThat(acknowledged).isEmpty();
    }
}

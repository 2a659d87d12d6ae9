package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.contract.AlteredNode;
import io.github.lockstarter.redis.contract.QuorumStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The clock of one of five servers is set 31 s forward while a lock is held on it: no other owner is granted the lock.
 * Runs only by name, since it takes long: {@code -Dit.test=RedlockClockRun -Dlock.test.seeds=20}.
 */
@Timeout(600)
class RedlockClockRun {

    private static final int SERVERS = 5;
    private static final int SEEDS = Integer.getInteger("lock.test.seeds", 2);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofSeconds(31);

    private final List<RedisServer> servers = new ArrayList<>();
    private final long[] steps = new long[SERVERS];

    @BeforeEach
    void start() {
        assumeThat(RedisServer.canSetClock()).isTrue();
        for (int i = 0; i < SERVERS; i++) {
            servers.add(RedisServer.start());
        }
    }

    @AfterEach
    void end() {
        servers.forEach(RedisServer::close);
    }

    @Test
    void doesNotGrantALockThatAServerForgotWhenItsClockWasSet() {
        assertThat(overlaps(UnaryOperator.identity())).isEmpty();
    }

    @Test
    void grantsTwiceWithoutTheClockCheck() {
        assertThat(overlaps(store -> store.behind(AlteredNode::withoutClock))).isNotEmpty();
    }

    private List<Duration> overlaps(UnaryOperator<QuorumStore> settings) {
        Random random = RedisScenario.seeded("a quorum with a clock that is set");
        try (RedlockMemory scenario = new RedlockMemory(servers, LEASE, settings)) {
            return Stream.generate(() -> scenario.leaseLeftWhenTheNextOneIsIn(random, this::setForward))
                    .limit(SEEDS)
                    .filter(left -> left.compareTo(Duration.ZERO) > 0)
                    .toList();
        }
    }

    private void setForward(RedisServer server) {
        int node = servers.indexOf(server);
        steps[node]++;
        server.setClock(STEP.multipliedBy(steps[node]));
    }
}

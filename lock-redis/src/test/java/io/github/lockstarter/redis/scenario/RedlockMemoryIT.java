package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.AlteredNode;
import io.github.lockstarter.redis.contract.QuorumStore;
import io.github.lockstarter.redlock.QuorumNode;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One of five servers loses a held lock, by a restart or by its clock: no other owner is granted the lock. Each test
 * has a control without the guard, in which another owner is. {@code -Dlock.test.seeds=20} repeats them; {@code
 * -Dlock.test.seed=…} repeats the same choices. The clock is only simulated as far as clients can detect: the lease
 * ends too early, and the server reports another time. {@link RedlockClockRun} sets a real clock.
 */
@Timeout(600)
class RedlockMemoryIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static final int SEEDS = Integer.getInteger("lock.test.seeds", 1);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofSeconds(31);

    private final AtomicLongArray ahead = new AtomicLongArray(5);

    private static List<RedisServer> servers() {
        return REDIS.topology().servers();
    }

    @Test
    @Tag(Effort.FULL)
    void doesNotGrantALockThatAServerForgotInARestart() {
        assertThat(overlaps(UnaryOperator.identity(), RedisServer::restart)).isEmpty();
    }

    @Test
    void grantsTwiceWithoutTheHistoryGuard() {
        assertThat(overlaps(QuorumStore::withoutGrace, RedisServer::restart)).isNotEmpty();
    }

    @Test
    void doesNotGrantALockThatAServerForgotWhenItsClockWasSet() {
        assertThat(overlaps(store -> store.behind(inTurn()), this::setForward)).isEmpty();
    }

    @Test
    @Tag(Effort.FULL)
    void grantsTwiceWithoutTheClockCheck() {
        assertThat(overlaps(store -> store.behind(AlteredNode::withoutClock), this::setForward))
                .isNotEmpty();
    }

    /** Rests of leases when other owners were granted the lock. */
    private static List<Duration> overlaps(UnaryOperator<QuorumStore> settings, Consumer<RedisServer> forgetting) {
        Random random = RedisScenario.seeded("a quorum that forgets");
        try (RedlockMemory scenario = new RedlockMemory(servers(), LEASE, settings)) {
            return Stream.generate(() -> scenario.leaseLeftWhenTheNextOneIsIn(random, forgetting))
                    .limit(SEEDS)
                    .filter(left -> left.compareTo(Duration.ZERO) > 0)
                    .toList();
        }
    }

    /** Each connection makes its nodes in the order of the servers. */
    private UnaryOperator<QuorumNode> inTurn() {
        int[] next = new int[1];
        return node -> {
            int server = next[0]++ % servers().size();
            return AlteredNode.telling(
                    time -> time.isPresent() ? OptionalLong.of(time.getAsLong() + ahead.get(server)) : time, node);
        };
    }

    private void setForward(RedisServer server) {
        ahead.addAndGet(servers().indexOf(server), STEP.toNanos() / 1_000);
        server.commands().del("lock:{" + RedlockMemory.KEY + "}");
    }
}

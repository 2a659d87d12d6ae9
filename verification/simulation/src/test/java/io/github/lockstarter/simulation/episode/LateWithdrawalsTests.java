package io.github.lockstarter.simulation.episode;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.simulation.net.Wire;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A waiter is excused if a withdrawal that its instance had given up ended its place, until its next attempt. */
class LateWithdrawalsTests {

    private static final String KEY = "k0";
    private static final String QUEUE = "lock:{k0}:waiters";
    private static final String ID = "instance";

    private final LuaInterpreter lua = new LuaInterpreter();
    private final World world = new World(Plan.of(1), lua);
    private final Instance instance = new Instance(world, 0, 1);

    @BeforeEach
    void warmUp() {
        pass(Duration.ofMillis(100));
        assertThat(instance.isWarm()).isTrue();
        world.started(ID, instance);
        takePlace();
    }

    @AfterEach
    void close() {
        lua.close();
    }

    @Test
    void excusesAWaiterWhosePlaceALateWithdrawalEnded() {
        withdrawLate();

        assertThat(withoutPlace()).containsExactly(instance);
    }

    @Test
    void doesNotExcuseATimelyWithdrawal() {
        withdraw();
        pass(Duration.ofMillis(100));

        assertThat(queue()).isEmpty();
        assertThat(withoutPlace()).isEmpty();
    }

    @Test
    void doesNotExcuseAPlaceThatAReleaseUsed() {
        endPlace();
        withdrawLate();

        assertThat(withoutPlace()).isEmpty();
    }

    @Test
    void doesNotExcuseAWaiterThatTookAnotherPlace() {
        withdrawLate();
        takePlace();

        assertThat(withoutPlace()).isEmpty();

        endPlace();
        assertThat(withoutPlace()).as("whatever ends that one").isEmpty();
    }

    @Test
    void doesNotExcuseAWaiterThatSentAnotherAttempt() {
        withdrawLate();
        instance.witness.attemptAcquire(attempt());

        assertThat(withoutPlace()).isEmpty();
    }

    @Test
    void doesNotExcuseAWaiterThatDoesNotRetry() {
        withdrawLate();
        pass(world.setting.untilNextLook());

        assertThat(withoutPlace()).isEmpty();
    }

    /** The server executes it when the instance has given it up. */
    private void withdrawLate() {
        List<Wire> wires = instance.wires();
        wires.forEach(Wire::silence);
        withdraw();
        pass(world.setting.commandTimeout().plusMillis(10));
        wires.forEach(Wire::heal);
        pass(Duration.ofMillis(100));

        assertThat(queue()).isEmpty();
    }

    private void withdraw() {
        instance.witness.releaseToken(ReleaseCommand.endOfWait(KEY, new LockToken(ID, 7)));
    }

    private static AcquireCommand attempt() {
        Waiting waiting = new Waiting(Waiting.NEW, Duration.ofSeconds(16));
        return new AcquireCommand(KEY, new LockToken(ID, 8), Duration.ofSeconds(1), 0, 1, Optional.of(waiting));
    }

    private void takePlace() {
        world.servers.master().redis.execute(List.of("ZADD", QUEUE, "1", ID));
    }

    private void endPlace() {
        world.servers.master().redis.execute(List.of("ZREM", QUEUE, ID));
    }

    private Set<String> queue() {
        return world.servers.master().redis.scores(QUEUE).keySet();
    }

    private Set<Instance> withoutPlace() {
        return world.lateWithdrawals.instancesWithoutPlace(KEY, queue());
    }

    private void pass(Duration duration) {
        world.time.runUntil(world.time.nanos() + duration.toNanos());
    }
}

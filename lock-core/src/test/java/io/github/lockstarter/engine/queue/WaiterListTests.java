package io.github.lockstarter.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.hold.HoldOwner;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.queue.Obstacle.Kind;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.engine.timer.TimerEntry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose wait is over, and who is dismissed for it. */
class WaiterListTests {

    private static final ResolvedRequest TERMS = new ResolvedRequest(
            "name",
            Duration.ofSeconds(30),
            Duration.ofDays(1),
            Renewal.ON,
            Duration.ZERO,
            Duration.ZERO,
            Optional.empty(),
            Duration.ZERO);
    private static final AcquireOutcome BUSY = new AcquireOutcome.Busy(new Obstacle(Kind.OWNER, Optional.empty()));

    private final WaiterList line = new WaiterList(new NoAlarms());
    private final Acquisition first = newAcquisition();
    private final Acquisition second = newAcquisition();
    private final Acquisition third = newAcquisition();

    private static Acquisition newAcquisition() {
        return new Acquisition("key", TERMS, HoldOwner.HANDLE, 0, acquisition -> {});
    }

    @BeforeEach
    void allWait() {
        Stream.of(first, second, third).forEach(line::add);
    }

    @Test
    void dismissesThoseWhoseWaitIsOver() {
        line.markOverdue(first);
        line.markOverdue(third);
        line.markOverdue(third);

        assertThat(line.dismissOverdue(BUSY)).containsExactly(first, third);
        assertThat(line.inOrder()).containsExactly(second);
        assertThat(line.dismissOverdue(BUSY)).isEmpty();
    }

    @Test
    void owesNothingToAWaiterThatHasLeft() {
        line.markOverdue(second);
        line.drop(second);
        line.markOverdue(second);

        assertThat(line.dismissOverdue(BUSY)).isEmpty();
        assertThat(line.inOrder()).containsExactly(first, third);
    }

    @Test
    void dismissesAnOverdueWaiterOnceOnly() {
        line.markOverdue(first);

        assertThat(line.dismissAll(BUSY)).containsExactly(first, second, third);
        assertThat(line.dismissOverdue(BUSY)).isEmpty();
        assertThat(line.isEmpty()).isTrue();
    }

    @Test
    void doesNotTellWhomAnotherHasDecided() {
        first.decide(new AcquireOutcome.Abandoned());
        List.of(first, second).forEach(line::markOverdue);

        assertThat(line.dismissOverdue(BUSY)).containsExactly(second);
        assertThat(line.inOrder()).containsExactly(third);
    }

    @Test
    void servesInTheOrderInWhichTheWaitersCame() {
        line.drop(second);
        line.add(second);

        assertThat(line.inOrder()).containsExactly(first, third, second);
        assertThat(line.isFirst(first)).isTrue();
    }

    @Test
    void forgetsAWaiterThatLeavesFromEitherEnd() {
        line.drop(third);
        line.drop(third);
        line.drop(first);

        assertThat(line.first()).isSameAs(second);
        assertThat(line.size()).isOne();
        assertThat(line.has(first)).isFalse();
        line.add(first);
        assertThat(line.inOrder()).containsExactly(second, first);
    }

    @Test
    void leavesTheWaitersOfAnotherQueueAlone() {
        WaiterList other = new WaiterList(new NoAlarms());
        other.drop(first);
        other.markOverdue(first);

        assertThat(other.isEmpty()).isTrue();
        assertThat(other.dismissOverdue(BUSY)).isEmpty();
        assertThat(line.inOrder()).containsExactly(first, second, third);
    }

    private static final class NoAlarms implements EngineTimer {

        @Override
        public void schedule(TimerEntry entry, long dueNanos) {}

        @Override
        public void cancel(TimerEntry entry) {}

        @Override
        public void afterEachTick(Runnable step) {}

        @Override
        public void close() {}
    }
}

package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WaiterTests {

    private static final long STARTED_AT = 1_000;
    private static final AcquireResult CONTENDED = new AcquireResult.Contended(Optional.empty(), 0);

    private final ManualEngine engine = new ManualEngine(List.of(), lock -> {});

    private static Waiter waiter(Duration wait, int permits) {
        return new Waiter(null, terms(wait, permits), HoldOwner.HANDLE, STARTED_AT); // without a key
    }

    private static ResolvedRequest terms(Duration wait, int permits) {
        LockRequest request = LockRequest.of("order:42").maxWait(wait).permits(permits);
        return ResolvedRequest.of(request, EngineSettings.DEFAULTS);
    }

    private static Obstacle seen(long seenAt, int permits) {
        return Obstacle.of(CONTENDED, permits, seenAt);
    }

    @Test
    void acceptsAnObstacleThatWasFoundDuringItsCallForAsManyPermits() {
        for (Waiter caller : List.of(waiter(Duration.ZERO, 2), waiter(Duration.ofSeconds(1), 2))) {
            assertThat(caller.accepts(seen(STARTED_AT, 2))).isTrue();
            assertThat(caller.accepts(seen(STARTED_AT - 1, 2))).isFalse();
            assertThat(caller.accepts(seen(STARTED_AT, 1))).isFalse();
        }
    }

    /** The event that sends it may have read the clock before the call did. */
    @Test
    void aTryIsAnsweredByItsOwnAttempt() {
        Waiter trying = joined(terms(Duration.ZERO, 1), engine.now().nanos() + 1);
        answer(CONTENDED);

        assertThat(trying.outcome).isCompletedWithValueMatching(WaitOutcome.Busy.class::isInstance);
    }

    /** The other slot may be free. */
    @Test
    void aWaiterForTwoPermitsIsNotRefusedByAnAttemptForOne() {
        Waiter one = joined(terms(Duration.ofMillis(20), 1), engine.now().nanos());
        answer(CONTENDED);
        Waiter two = joined(terms(Duration.ofMillis(30), 2), engine.now().nanos());
        answer(CONTENDED);
        engine.running.signal(ManualEngine.KEY, 0); // for the first
        answer(CONTENDED);
        endWait(one, Duration.ofMillis(20));
        assertThat(one.outcome).isCompletedWithValueMatching(WaitOutcome.Busy.class::isInstance);
        endWait(two, Duration.ofMillis(10));
        assertThat(two.outcome).isNotDone();
        answer(new AcquireResult.Granted(1, 0, Optional.empty(), "", 1));

        assertThat(two.outcome).isCompletedWithValueMatching(WaitOutcome.Granted.class::isInstance);
    }

    private Waiter joined(ResolvedRequest terms, long startedAt) {
        Waiter joined = new Waiter(engine.running.keyLock(ManualEngine.KEY), terms, HoldOwner.HANDLE, startedAt);
        engine.running.join(joined);
        return joined;
    }

    private void answer(AcquireResult result) {
        engine.store.unanswered.remove(0).answer().complete(result);
    }

    private void endWait(Waiter waiter, Duration passed) {
        engine.letPass(passed);
        engine.running.run(waiter.lock, (todo, now) -> waiter.lock.waitIsOver(todo, waiter, now));
    }
}

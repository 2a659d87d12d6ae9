package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store whose session decides how long a lock is certain. */
class EngineSessionTests extends EngineInterleavings {

    private static final Duration CERTAIN = TAKEOVER.multipliedBy(4);

    /** In the session with this number, if it answers. */
    private static final class Session implements CrashDetection {

        private volatile long number = 1;
        private volatile boolean silent;
        private final AtomicInteger beats = new AtomicInteger();

        @Override
        public CompletionStage<Optional<Beat>> beat(List<String> waitedFor) {
            beats.incrementAndGet();
            return CompletableFuture.completedFuture(
                    silent
                            ? Optional.empty()
                            : Optional.of(new Beat("", Long.toString(number), "", Duration.ZERO, List.of())));
        }

        @Override
        public Duration commandTimeout() {
            return TAKEOVER;
        }

        @Override
        public Optional<Duration> certainTime() {
            return Optional.of(CERTAIN);
        }
    }

    private final Session session;

    EngineSessionTests() {
        super(new ManualBackend(Optional.of(new Session())), EngineSettings.Handover.DEFAULTS);
        this.session = (Session) backend.crashDetection().orElseThrow();
    }

    @BeforeEach
    void awaitAnswer() {
        backend.opened();
        await().until(() -> session.beats.get() > 0);
        letPass(TAKEOVER);
        await().until(() -> session.beats.get() > 1);
    }

    /** The store is silent after the grant. */
    private LockHandle grantedInSession(LockRequest request) throws Exception {
        LockHandle held = granted(request, 1);
        session.silent = true;
        return held;
    }

    @Test
    void aHoldIsCertainForTheSessionTimeoutWhateverTheTakeoverTime() throws Exception {
        LockHandle held = grantedInSession(REQUEST);

        letPass(TAKEOVER.multipliedBy(3));
        assertThat(held.state()).isEqualTo(HoldState.HELD);

        letPass(TAKEOVER.multipliedBy(2));
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    @Tag(Effort.FULL)
    void aHoldWithAMinimumHoldIsInDoubtWhenTheSessionIsSilent() throws Exception {
        LockHandle held = grantedInSession(REQUEST.minHold(Duration.ofMillis(1)));

        letPass(TAKEOVER.multipliedBy(5));

        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);
    }

    @Test
    @Tag(Effort.FULL)
    void theTokenNamesNoTakeoverTime() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(new AcquireResult.Granted(1, 0));

        assertThat(resultOf(acquiring).isHeld()).isTrue();
        assertThat(attempt.command().token().takeoverMillis()).isZero();
    }

    @Test
    void aHoldIsLostIfANewSessionDoesNotHaveIt() throws Exception {
        LockHandle held = grantedInSession(REQUEST);
        letPass(TAKEOVER.multipliedBy(5));
        assertThat(held.state()).isEqualTo(HoldState.IN_DOUBT);

        session.number = 2;
        session.silent = false;
        backend.opened();
        backend.nextRenewal().answer().complete(new RenewResult.NotHeld());

        awaitLoss(LossCause.TAKEN_OVER);
        assertThat(held.state()).isEqualTo(HoldState.LOST);
    }
}

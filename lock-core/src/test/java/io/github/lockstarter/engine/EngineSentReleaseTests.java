package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Releases that do not wait for the answer. */
class EngineSentReleaseTests extends EngineInterleavings {

    private static final LockRequest QUICK = REQUEST.named(SENT_RELEASE);

    @Test
    void releaseReturnsBeforeTheAnswer() throws Exception {
        LockHandle held = granted(QUICK, 100);

        assertThat(held.release()).isEqualTo(ReleaseOutcome.SENT);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.answer()).isNotDone();
        release.answer().complete(new ReleaseResult.Released(0));
    }

    @Test
    void theNextCallerAcquiresAfterTheRelease() throws Exception {
        granted(QUICK, 100).close();
        LockHandle next = granted(QUICK, 200);

        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseOutcome.SENT);
    }

    @Test
    void anUnansweredReleaseIsRepeated() throws Exception {
        granted(QUICK, 100).close();
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer", new IllegalStateException()));

        assertThat(backend.nextRelease().command().fencingToken()).isEqualTo(100);
    }

    @Test
    void reportsALossThatTheAnswerShows() throws Exception {
        granted(QUICK, 100).close();
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());

        await().until(() -> losses.size() == 1);
        assertThat(losses).first().extracting(LockEvent.Lost::cause).isEqualTo(LossCause.OWNER_CHANGED);
    }

    /** Until then the instance has the lock, and a caller that returned would be refused by its own hold. */
    @Test
    void releaseWaitsForTheAnswerToARenewal() throws Exception {
        LockHandle held = granted(QUICK, 100);
        CompletableFuture.runAsync(() -> held.extend(QUICK), EngineInterleavings::onNewThread); // fails: it is released
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();

        CompletableFuture<ReleaseOutcome> releasing = held.closeAsync();
        assertThat(releasing).isNotDone();

        renewal.answer().complete(new RenewResult.Renewed());
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void throwsALossThatIsAlreadyKnown() throws Exception {
        LockHandle held = granted(QUICK, 100);
        letPass(EngineSettings.DEFAULTS.lease());

        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }
}

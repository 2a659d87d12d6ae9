package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Limits of the hand-over within an instance while others wait, and its place in the queue. */
class EngineHandOverBoundsTests extends HandOverInterleavings {

    @Test
    void handsOverSixteenTimesWhenTheGrantSaysThatAnotherInstanceWaits() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 1), 16);
        engine.acquireAsync(REQUEST);
        releasing(last);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().requeue()).isPresent();
        release.answer().complete(new ReleaseResult.Released(1));
        assertThat(backend.isQuiet()).as("it is the other one's turn").isTrue();
        backend.signal(KEY);
        assertThat(backend.nextAcquire().command().waiting()).isPresent();
    }

    @Test
    void handsOverSixteenTimesAfterTheNoticeThatAnotherInstanceWaits() throws Exception {
        LockHandle fifth = handOver(waitedFor(REQUEST, 100, 0), 5);
        backend.wanted(KEY);
        backend.wanted(KEY);
        LockHandle eighth = handOver(fifth, 8);
        backend.wanted(KEY);
        LockHandle last = handOver(eighth, 8);
        engine.acquireAsync(REQUEST);
        releasing(last);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }

    @Test
    void countsANoticeThatArrivesBeforeTheGrant() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.wanted(KEY);
        attempt.answer().complete(new AcquireResult.Granted(100, 0));
        LockHandle last = handOver(acquiring.get(Patience.SECONDS, TimeUnit.SECONDS), 16);
        engine.acquireAsync(REQUEST);
        releasing(last);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }

    @Test
    void theReleaseRevealsAnInstanceWhoseNoticeWasLost() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), EngineSettings.HandOver.FENCING_TOKENS - 1);
        CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
        releasing(last);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(1));
        attempt.answer().complete(new AcquireResult.Granted(200, 0)); // the other one was taken out by the release
        last = handOver(follower.get(Patience.SECONDS, TimeUnit.SECONDS), 16);
        engine.acquireAsync(REQUEST);
        releasing(last);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }

    @Test
    void leavesTheQueueWhenItsLastWaiterGivesUpDuringTheRelease() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST); // with another lease
        releasing(first);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().requeue()).isPresent();
        waiting.cancel(false);
        release.answer().complete(new ReleaseResult.Released(1));
        backend.nextWithdrawal().answer().complete(new ReleaseResult.Released(0));
    }

    @Test
    void triesAtOnceWhenTheReleaseSignalledNobody() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        engine.acquireAsync(REQUEST); // with another lease
        releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        backend.nextAcquire();
    }

    @Test
    void dropsItsFormerPlaceWhenTheReleaseQueuesTheInstanceAgain() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        engine.acquireAsync(REQUEST); // with another lease
        backend.signal(KEY); // such as after a reconnect of the mailbox
        backend.nextAcquire().answer().complete(contended()); // place 7, while this instance has the lock itself
        releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(1));
        backend.signal(KEY);
        assertThat(backend.nextAcquire().command().waiting().orElseThrow().position())
                .isEqualTo(AcquireCommand.Waiting.NEW);
    }

    @Test
    void leavesTheQueueAfterAReleaseWithUnknownOutcomeWhenNobodyWaits() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST); // with another lease
        releasing(first);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        waiting.cancel(false);
        release.answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));
        backend.nextWithdrawal();
    }

    @Test
    void attemptsAtOnceForAWaiterAfterAReleaseWithUnknownOutcomeThatFailsTheTries() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST); // with another lease
        releasing(first);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ZERO));
        release.answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));

        assertThatThrownBy(() -> trying.get(Patience.SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockBackendException.class)
                .hasMessageContaining("was not acquired: no answer within 2s");
        backend.nextAcquire().answer().complete(grant(200, 0));
        assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void aReleaseWithUnknownOutcomeLeavesAnAttemptUnderWayToItsCaller() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofSeconds(1)));
        backend.signal(KEY); // such as after a reconnect of the mailbox
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        releasing(first);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        letPass(Duration.ofSeconds(2));
        await().until(() -> engine.admin().waiters().isEmpty()); // it waits only for the answer
        release.answer().complete(new ReleaseResult.Unknown("no connection", cause));
        attempt.answer().complete(grant(200, 0));

        assertThat(brief.get(Patience.SECONDS, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void retriesWhenTheSignalOfTheOtherInstanceIsLost() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        engine.acquireAsync(REQUEST); // with another lease
        releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(1));
        backend.nextAcquire(); // without a signal
    }
}

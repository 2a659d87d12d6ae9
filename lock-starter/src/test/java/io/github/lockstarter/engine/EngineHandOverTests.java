package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Hand-over inside an instance: what is asked of the backend, within which bounds, and who gets the lock. */
class EngineHandOverTests extends EngineInterleavings {

    /** Sixteen hand-overs in time, also on a busy machine. */
    EngineHandOverTests() {
        super(new EngineSettings.HandOver(16, Duration.ofSeconds(20)));
    }

    @Test
    void handsOverWithoutACommand() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);

        assertThat(releasing(first).get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        LockHandle second = waiting.get(5, TimeUnit.SECONDS);
        assertThat(second.fencingToken()).isEqualTo(101);
        assertThat(second.isHeld()).isTrue();
        assertThat(first.isHeld()).isFalse();
        assertThat(first.release()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
        assertThat(engine.heldLocks().size()).isEqualTo(1);
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void tellsListenersOfTheReleaseBeforeTheHandOver() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        releasing(first).get(5, TimeUnit.SECONDS);
        waiting.get(5, TimeUnit.SECONDS);

        assertThat(events).hasSize(3);
        assertThat(events.get(1))
                .isInstanceOfSatisfying(LockEvent.Released.class, event -> assertThat(event.fencingToken())
                        .isEqualTo(100));
        assertThat(events.get(2)).isInstanceOfSatisfying(LockEvent.Acquired.class, event -> {
            assertThat(event.fencingToken()).isEqualTo(101);
            assertThat(event.path()).isEqualTo(LockEvent.Path.HANDED_OVER);
        });
    }

    @Test
    void asksForMoreThanOneFencingTokenOnlyWhereSomebodyCanUseThem() throws Exception {
        LockHandle alone = granted(REQUEST, 1);
        engine.acquireAsync(REQUEST);
        CompletableFuture<ReleaseOutcome> releasing = releasing(alone);
        assertThat(backend.nextRelease().command().fencingToken()).isEqualTo(1);

        Sent<AcquireCommand, AcquireResult> follower = backend.nextAcquire();
        assertThat(follower.command().fencingTokens()).isEqualTo(FencingBlock.LEAST);
        backend.answerTheRest();
        releasing.get(5, TimeUnit.SECONDS);
        assertThat(backend.log.get(0))
                .isInstanceOfSatisfying(AcquireCommand.class, command -> assertThat(command.fencingTokens())
                        .isEqualTo(1));
    }

    @Test
    void releasesWithTheLastFencingTokenOfTheGrant() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        releasing(first).get(5, TimeUnit.SECONDS);
        releasing(waiting.get(5, TimeUnit.SECONDS));

        ReleaseCommand command = backend.nextRelease().command();
        assertThat(command.fencingToken()).isEqualTo(163);
        assertThat(command.requeue()).isEmpty();
    }

    @Test
    void handsOverUntilTheFencingTokensAreUsedUpAndThenFollowsItsOwnRelease() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), FencingBlock.LEAST - 1);
        assertThat(last.fencingToken()).isEqualTo(163);
        engine.acquireAsync(REQUEST);
        releasing(last);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().token()).isNotEqualTo(release.command().token());
        assertThat(attempt.command().fencingFloor()).isEqualTo(163);
        assertThat(backend.log).endsWith(release.command(), attempt.command());
    }

    @Test
    void asksForTwiceAsManyFencingTokensAfterABlockThatWasUsedUpSoonUntilThereMayBeNoMore() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 1, 0);
        Deque<CompletableFuture<LockHandle>> line = new ArrayDeque<>();
        line.add(engine.acquireAsync(REQUEST)); // there is always somebody who waits
        for (int block : new int[] {64, 128, 256, 512, 1024, 1024}) {
            for (int i = 1; i < block; i++) {
                line.add(engine.acquireAsync(REQUEST));
                assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
                holder = line.remove().get(5, TimeUnit.SECONDS);
            }
            line.add(engine.acquireAsync(REQUEST));
            releasing(holder);
            ReleaseCommand release = answered(backend.nextRelease(), new ReleaseResult.Released(0));
            AcquireResult granted = new AcquireResult.Granted(release.fencingToken() + 1, 0);
            assertThat(answered(backend.nextAcquire(), granted).fencingTokens()).isEqualTo(Math.min(2 * block, 1024));
            holder = line.remove().get(5, TimeUnit.SECONDS);
        }
    }

    private static <C, R> C answered(Sent<C, R> sent, R answer) {
        sent.answer().complete(answer);
        return sent.command();
    }

    @Test
    void asksForTheUsualFencingTokensAgainAfterABlockThatWasNotUsedUp() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), FencingBlock.LEAST - 1);
        CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> next = engine.acquireAsync(REQUEST); // keeps the queue
        engine.acquireAsync(REQUEST.leasedFor(Duration.ofSeconds(10))); // to whom it is not handed over
        releasing(last);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        AcquireResult granted = new AcquireResult.Granted(200, 0);
        assertThat(answered(backend.nextAcquire(), granted).fencingTokens()).isEqualTo(2 * FencingBlock.LEAST);
        follower.get(5, TimeUnit.SECONDS).release();
        releasing(next.get(5, TimeUnit.SECONDS));
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        engine.acquireAsync(REQUEST);
        assertThat(backend.nextAcquire().command().fencingTokens()).isEqualTo(FencingBlock.LEAST);
    }

    @Test
    void handsOverSixteenTimesWhileAnotherInstanceIsKnownToWaitFromTheGrantOn() throws Exception {
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
    void takesANoticeThatOvertakesTheGrant() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.wanted(KEY);
        attempt.answer().complete(new AcquireResult.Granted(100, 0));
        LockHandle last = handOver(acquiring.get(5, TimeUnit.SECONDS), 16);
        engine.acquireAsync(REQUEST);
        releasing(last);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }

    @Test
    void learnsAtItsReleaseOfAnInstanceWhoseNoticeWasLost() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), FencingBlock.LEAST - 1);
        CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
        releasing(last);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(1));
        attempt.answer().complete(new AcquireResult.Granted(200, 0)); // the other one was taken out by the release
        last = handOver(follower.get(5, TimeUnit.SECONDS), 16);
        engine.acquireAsync(REQUEST);
        releasing(last);
        assertThat(backend.nextRelease().command().requeue()).isPresent();
    }

    @Test
    void doesNotHandOverInTheLastTwoThirdsOfALease() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofMillis(600)), 100, 0);
        engine.acquireAsync(REQUEST.leasedFor(Duration.ofMillis(600)));
        await().pollDelay(Duration.ofMillis(210)).until(() -> true); // time is the bound
        releasing(first);
        assertThat(backend.nextRelease().command().requeue()).isEmpty();
        backend.nextAcquire();
    }

    @Test
    void doesNotHandOverToWhoAsksForAnotherLease() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        engine.acquireAsync(REQUEST.leasedFor(Duration.ofSeconds(10)));
        releasing(first);
        backend.nextRelease();
        assertThat(backend.nextAcquire().command().lease()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void doesNotHandOverALeaseThatWasExtended() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 0);
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> first.extend(Duration.ofSeconds(30)), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        extending.get(5, TimeUnit.SECONDS);
        engine.acquireAsync(REQUEST.leasedFor(Duration.ofSeconds(10)));
        releasing(first);
        backend.nextRelease();
        backend.nextAcquire();
    }

    @Test
    void aLossFoundByAnExtensionIsNotHandedOver() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture.runAsync(() -> first.extend(Duration.ofSeconds(30)), EngineInterleavings::onNewThread);
        backend.nextRenewal(); // unanswered
        engine.acquireAsync(REQUEST);
        releasing(first);
        backend.nextRelease();
        backend.nextAcquire();
    }

    @Test
    void passesOverWhoHasGivenUp() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
        fickle.cancel(false);
        releasing(first).get(5, TimeUnit.SECONDS);

        assertThat(patient.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(101);
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void whoGivesUpInTheMomentOfTheHandOverPassesTheLockOn() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 100, 0);
        long newest = 100;
        for (int i = 0; i < 25; i++) {
            CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
            CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
            CountDownLatch start = new CountDownLatch(1);
            onNewThread(() -> {
                awaitQuietly(start);
                fickle.cancel(false);
            });
            LockHandle leaving = holder;
            onNewThread(() -> {
                awaitQuietly(start);
                leaving.release();
            });
            start.countDown();
            if (fickle.handle((handle, failure) -> handle != null).get(5, TimeUnit.SECONDS)) {
                assertThat(fickle.get().release()).isEqualTo(ReleaseOutcome.RELEASED);
            }
            holder = patient.get(5, TimeUnit.SECONDS);
            assertThat(holder.isHeld()).isTrue();
            assertThat(holder.fencingToken()).isGreaterThan(newest);
            newest = holder.fencingToken();
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn or released").isTrue();
        assertThat(engine.heldLocks().size()).isEqualTo(1);
    }

    @Test
    void whoIsInterruptedInTheMomentOfTheHandOverPassesTheLockOn() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 100, 0);
        for (int i = 0; i < 25; i++) {
            CompletableFuture<Boolean> acquired = new CompletableFuture<>();
            Thread interrupted = new Thread(() -> {
                try {
                    engine.acquire(REQUEST).release();
                    acquired.complete(true);
                } catch (RuntimeException e) {
                    acquired.complete(false);
                }
            });
            interrupted.start();
            await().pollInterval(Duration.ofMillis(1)).until(() -> interrupted.getState() == Thread.State.WAITING);
            CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
            LockHandle leaving = holder;
            onNewThread(leaving::release);
            interrupted.interrupt();
            acquired.get(5, TimeUnit.SECONDS);
            holder = patient.get(5, TimeUnit.SECONDS);
            assertThat(holder.isHeld()).isTrue();
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn or released").isTrue();
    }

    @Test
    void aWaiterThatTimesOutInTheMomentOfTheHandOverLosesNobodysLock() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 100, 0);
        for (int i = 0; i < 15; i++) {
            CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofMillis(10)));
            CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
            long releaseAt = System.nanoTime() + 8_000_000 + i * 500_000L; // around the end of the wait
            await().pollInterval(Duration.ofNanos(100_000)).until(() -> System.nanoTime() - releaseAt >= 0);
            releasing(holder).get(5, TimeUnit.SECONDS);
            if (brief.handle((handle, failure) -> handle != null).get(5, TimeUnit.SECONDS)) {
                brief.get().release();
            }
            holder = patient.get(5, TimeUnit.SECONDS);
            assertThat(holder.isHeld()).isTrue();
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn or released").isTrue();
    }

    /** Its withdrawal frees the lock at the backend, so that it must go to nobody. */
    @Test
    void doesNotHandOverAGrantWhoseAttemptWasWithdrawn() throws Exception {
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
        fickle.cancel(false);
        assertThat(backend.nextWithdrawal().command().token())
                .isEqualTo(attempt.command().token());
        Sent<AcquireCommand, AcquireResult> own = backend.nextAcquire();
        attempt.answer().complete(new AcquireResult.Granted(100, 0));

        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(patient).isNotDone();
        own.answer().complete(new AcquireResult.Granted(200, 0));
        assertThat(patient.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(200);
    }

    @Test
    void withdrawsTheAttemptOfWhoIsHandedTheLockMeanwhile() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        backend.signal(KEY); // somebody says that the lock is free, which it is not
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        releasing(first).get(5, TimeUnit.SECONDS);

        LockHandle second = waiting.get(5, TimeUnit.SECONDS);
        assertThat(second.fencingToken()).isEqualTo(101);
        assertThat(backend.nextWithdrawal().command().token())
                .isEqualTo(attempt.command().token());
        attempt.answer().complete(new AcquireResult.Granted(200, 0)); // came before the withdrawal
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(second.isHeld()).isTrue();
        releasing(second);
        backend.nextRelease();
        assertThat(backend.isQuiet())
                .as("the instance has left the queue already")
                .isTrue();
    }

    @Test
    void doesNotWithdrawTheGrantOfAHolderThatLeavesBeforeItsQueueKnows() throws Exception {
        for (int i = 0; i < 100; i++) {
            CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST);
            CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
            backend.nextAcquire().answer().complete(contended());
            backend.signal(KEY);
            Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
            CompletableFuture<ReleaseOutcome> left = brief.thenApply(LockHandle::release);
            attempt.answer().complete(new AcquireResult.Granted(1 + 100L * i, 0));
            assertThat(left.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
            CompletableFuture<ReleaseOutcome> last = releasing(follower.get(5, TimeUnit.SECONDS));
            Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
            assertThat(release.command().token()).isEqualTo(attempt.command().token());
            release.answer().complete(new ReleaseResult.Released(0));
            last.get(5, TimeUnit.SECONDS);
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn").isTrue();
    }

    @Test
    void armsTheLeaseAgainForWhoIsNotRenewed() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.withoutRenewal());
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        assertThat(waiting).isNotDone();
        renewal.answer().complete(new RenewResult.Renewed());

        assertThat(releasing.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(waiting.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(101);
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void whoIsNotRenewedAsksTheBackendWhenTheLeaseTurnsOutToBeGone() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.withoutRenewal());
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        backend.nextRenewal().answer().complete(new RenewResult.NotHeld());

        assertThat(releasing.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.LOST);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(300, 0));
        assertThat(waiting.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(300);
    }

    @Test
    void releasesWhatCouldNotBeArmedAgain() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        engine.acquireAsync(REQUEST.withoutRenewal());
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        backend.nextRenewal().answer().complete(new RenewResult.Unknown("no answer within 2s", cause));

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(releasing.get(5, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
        backend.nextAcquire();
    }

    @Test
    void whoIsNotRenewedIsArmedAlsoIfTheOneBeforeHasGivenUp() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST.withoutRenewal());
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST.withoutRenewal());
        fickle.cancel(false);
        releasing(first);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        assertThat(patient.get(5, TimeUnit.SECONDS).remainingLease()).isGreaterThan(Duration.ofSeconds(29));
    }

    @Test
    void releasesWhatWasArmedAgainForSomebodyWhoLeft() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.withoutRenewal());
        releasing(first);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        waiting.cancel(false);
        renewal.answer().complete(new RenewResult.Renewed());
        backend.nextRelease();
    }

    @Test
    void whoIsHandedALockRenewsAndLosesItOnItsOwn() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofMillis(900)), 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.leasedFor(Duration.ofMillis(900)));
        CountDownLatch firstLost = new CountDownLatch(1);
        CountDownLatch secondLost = new CountDownLatch(1);
        first.onLost(firstLost::countDown);
        releasing(first).get(5, TimeUnit.SECONDS);
        LockHandle second = waiting.get(5, TimeUnit.SECONDS);
        second.onLost(secondLost::countDown);
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        assertThat(renewal.command().fencingToken()).isEqualTo(163);
        renewal.answer().complete(new RenewResult.NotHeld());

        assertThat(secondLost.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(firstLost.getCount()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(losses)
                .singleElement()
                .extracting(LockEvent.Lost::fencingToken)
                .isEqualTo(101L));
    }

    @Test
    void aWaiterLooksAsSoonAsTheHoldInItsWayIsLost() throws Exception {
        LockHandle first = granted(REQUEST, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        assertThat(backend.isQuiet())
                .as("what this instance holds itself needs no asking")
                .isTrue();
        wallMillis.addAndGet(30_100);
        assertThat(first.isHeld()).isFalse();

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(waiting.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(2);
    }

    @Test
    void whatThisInstanceHoldsIsContendedWithoutAsking() throws Exception {
        granted(REQUEST, 1);
        assertThat(engine.tryAcquire(REQUEST.withoutWaiting())).isEmpty();
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofMillis(30)));
        assertThatThrownBy(() -> brief.get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("Could not acquire lock 'order:42' within 30ms")
                .hasMessageContaining("behind others of this JVM");
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void leavesTheQueueAgainWhenNobodyIsLeftWhoWaits() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST); // asks for another lease
        releasing(first);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().requeue()).isPresent();
        waiting.cancel(false);
        release.answer().complete(new ReleaseResult.Released(1));
        backend.nextWithdrawal().answer().complete(new WithdrawResult.Withdrawn());
    }

    @Test
    void asksAtOnceWhenTheOtherInstanceHasGone() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        engine.acquireAsync(REQUEST); // asks for another lease
        releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        backend.nextAcquire();
    }

    @Test
    void aPlaceFromBeforeIsSpentWhenTheInstanceQueuesUpAgain() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        engine.acquireAsync(REQUEST); // asks for another lease
        backend.signal(KEY); // such as after a reconnect of the mailbox
        backend.nextAcquire().answer().complete(contended()); // place 7, while this instance has the lock itself
        releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(1));
        backend.signal(KEY);
        assertThat(backend.nextAcquire().command().waiting().orElseThrow().position())
                .isEqualTo(AcquireCommand.Waiting.NEW);
    }

    @Test
    void leavesTheQueueWhenItIsUnknownWhetherItStandsThereAndNobodyWaits() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST); // asks for another lease
        releasing(first);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        waiting.cancel(false);
        release.answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));
        backend.nextWithdrawal();
    }

    @Test
    void asksWhenItIsUnknownWhetherTheOtherInstanceWasSignalled() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        engine.acquireAsync(REQUEST); // asks for another lease
        releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));
        backend.nextAcquire();
    }

    @Test
    void looksAgainWhenTheSignalOfTheOtherInstanceIsLost() throws Exception {
        LockHandle first = waitedFor(REQUEST.leasedFor(Duration.ofSeconds(10)), 100, 1);
        engine.acquireAsync(REQUEST); // asks for another lease
        releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(1));
        backend.nextAcquire(); // by itself
    }

    @Test
    void anInnerReleaseHandsNothingOver() throws Exception {
        CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(
                        () -> {
                            LockHandle outer = engine.acquire(REQUEST);
                            LockHandle inner = engine.acquire(REQUEST);
                            CompletableFuture<LockHandle> other = engine.acquireAsync(REQUEST);
                            assertThat(inner.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
                            assertThat(other).isNotDone();
                            outer.release();
                            return other;
                        },
                        EngineInterleavings::onNewThread)
                .thenCompose(other -> other);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        assertThat(waiting.get(5, TimeUnit.SECONDS).fencingToken()).isEqualTo(101);
    }

    /** The lock is released by who writes the renewal, and only then may a waiter look. */
    @Test
    void aReleaseThatFollowsARenewalWakesTheWaiters() throws Exception {
        for (int i = 0; i < 40; i++) {
            LockHandle first = granted(REQUEST, i + 1);
            CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
            CountDownLatch start = new CountDownLatch(1);
            CompletableFuture<Void> extending = CompletableFuture.runAsync(
                    () -> {
                        awaitQuietly(start);
                        first.extend(Duration.ofSeconds(30));
                    },
                    EngineInterleavings::onNewThread);
            CompletableFuture<ReleaseOutcome> releasing = CompletableFuture.supplyAsync(
                    () -> {
                        awaitQuietly(start);
                        return first.release();
                    },
                    EngineInterleavings::onNewThread);
            start.countDown();
            backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
            releasing.get(5, TimeUnit.SECONDS);
            backend.nextAcquire().answer().complete(new AcquireResult.Rejected("enough", cause));
            assertThatThrownBy(() -> waiting.get(5, TimeUnit.SECONDS)).hasMessageContaining("enough");
            backend.forget();
            extending.handle((done, failure) -> null).get(5, TimeUnit.SECONDS);
        }
    }

    @Test
    void aStopInTheMomentOfTheHandOverLeavesNothingHeld() throws Exception {
        for (int i = 0; i < 200; i++) {
            LockHandle first = waitedFor(REQUEST, 100L * (i + 1), 0);
            CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
            int before = releases();
            CountDownLatch start = new CountDownLatch(1);
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(
                    () -> {
                        awaitQuietly(start);
                        engine.stop();
                    },
                    EngineInterleavings::onNewThread);
            CompletableFuture<ReleaseOutcome> releasing = CompletableFuture.supplyAsync(
                    () -> {
                        awaitQuietly(start);
                        return first.release();
                    },
                    EngineInterleavings::onNewThread);
            start.countDown();
            awaitStop(stopping);
            releasing.get(5, TimeUnit.SECONDS);
            if (waiting.handle((handle, failure) -> handle != null).get(5, TimeUnit.SECONDS)) {
                assertThat(waiting.get().isHeld()).isFalse();
            }
            assertThat(releases()).as("releases of the tenure").isGreaterThan(before);
            engine.start();
            assertThat(engine.heldLocks().size()).isZero();
            backend.forget();
        }
    }

    private int releases() {
        return (int)
                backend.log.stream().filter(ReleaseCommand.class::isInstance).count();
    }

    /** From hold to hold, down a line of waiters. */
    private LockHandle handOver(LockHandle first, int times) throws Exception {
        Deque<CompletableFuture<LockHandle>> waiting = new ArrayDeque<>();
        LockHandle holder = first;
        for (int i = 0; i < times; i++) {
            waiting.add(engine.acquireAsync(REQUEST));
        }
        while (!waiting.isEmpty()) {
            long before = holder.fencingToken();
            releasing(holder).get(5, TimeUnit.SECONDS);
            holder = waiting.remove().get(5, TimeUnit.SECONDS);
            assertThat(holder.fencingToken()).isEqualTo(before + 1);
        }
        assertThat(backend.isQuiet()).isTrue();
        return holder;
    }
}

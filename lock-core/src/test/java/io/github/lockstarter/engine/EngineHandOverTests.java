package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A lock is handed over to a waiter of the same instance, while the store waits for no command. */
class EngineHandOverTests extends EngineInterleavings {

    /** Than that of the usual requests, so that a hold is not handed over to them. */
    private static final Duration OTHER_LEASE = Duration.ofSeconds(10);

    private static final LockRequest OF_TWO = REQUEST.permits(2).lease(OTHER_LEASE);

    EngineHandOverTests() {
        super(new EngineSettings.Handover(16, Duration.ofSeconds(20)));
    }

    /** The command that releases the lock instead of a handover. */
    private Sent<ReleaseCommand, ReleaseResult> releaseOf(LockHandle held) {
        releasing(held);
        return backend.nextRelease();
    }

    /** Hands over along a queue of waiters. */
    private LockHandle handOver(LockHandle first, int times) throws Exception {
        Deque<CompletableFuture<LockHandle>> waiting = new ArrayDeque<>();
        LockHandle holder = first;
        for (int i = 0; i < times; i++) {
            waiting.add(engine.acquireAsync(REQUEST));
        }
        while (!waiting.isEmpty()) {
            long before = holder.fencingToken();
            resultOf(releasing(holder));
            holder = resultOf(waiting.remove());
            assertThat(holder.fencingToken()).isEqualTo(before + 1);
        }
        assertThat(backend.isQuiet()).isTrue();
        return holder;
    }
    // Commands and fencing tokens

    @Test
    void handsOverWithoutACommand() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);

        assertThat(resultOf(releasing(first))).isEqualTo(ReleaseOutcome.RELEASED);
        LockHandle second = resultOf(waiting);
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
        resultOf(releasing(first));
        resultOf(waiting);

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
    void asksForSeveralFencingTokensOnlyWhenAWaiterCanUseThem() throws Exception {
        LockHandle alone = granted(REQUEST, 1);
        engine.acquireAsync(REQUEST);
        CompletableFuture<ReleaseOutcome> releasing = releasing(alone);
        assertThat(backend.nextRelease().command().fencingToken()).isEqualTo(1);

        Sent<AcquireCommand, AcquireResult> follower = backend.nextAcquire();
        assertThat(follower.command().fencingTokens()).isEqualTo(EngineSettings.Handover.FENCING_TOKENS);
        backend.answerTheRest();
        resultOf(releasing);
        assertThat(backend.log.get(0))
                .isInstanceOfSatisfying(AcquireCommand.class, command -> assertThat(command.fencingTokens())
                        .isEqualTo(1));
    }

    @Test
    void releasesWithTheLastFencingTokenOfTheGrant() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        resultOf(releasing(first));
        releasing(resultOf(waiting));

        ReleaseCommand command = backend.nextRelease().command();
        assertThat(command.fencingToken()).isEqualTo(163);
        assertThat(command.requeue()).isEmpty();
    }

    @Test
    void triesAgainAfterTheReleaseOnceTheFencingTokensAreUsedUp() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), EngineSettings.Handover.FENCING_TOKENS - 1);
        assertThat(last.fencingToken()).isEqualTo(163);
        engine.acquireAsync(REQUEST);
        Sent<ReleaseCommand, ReleaseResult> release = releaseOf(last);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(attempt.command().token()).isNotEqualTo(release.command().token());
        assertThat(attempt.command().fencingFloor()).isEqualTo(163);
        assertThat(backend.log).endsWith(release.command(), attempt.command());
    }

    @Test
    void doublesTheTokenBlockWhenItIsUsedUpQuickly() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 1, 0);
        Deque<CompletableFuture<LockHandle>> line = new ArrayDeque<>();
        line.add(engine.acquireAsync(REQUEST)); // someone always waits
        for (int block : new int[] {64, 128, 256, 512, 1024, 1024}) {
            for (int i = 1; i < block; i++) {
                line.add(engine.acquireAsync(REQUEST));
                assertThat(holder.release()).isEqualTo(ReleaseOutcome.RELEASED);
                holder = resultOf(line.remove());
            }
            line.add(engine.acquireAsync(REQUEST));
            releasing(holder);
            ReleaseCommand release = answered(backend.nextRelease(), new ReleaseResult.Released(0));
            AcquireResult granted = new AcquireResult.Granted(release.fencingToken() + 1, 0);
            assertThat(answered(backend.nextAcquire(), granted).fencingTokens()).isEqualTo(Math.min(2 * block, 1024));
            holder = resultOf(line.remove());
        }
    }

    private static <C, R> C answered(Sent<C, R> sent, R answer) {
        sent.answer().complete(answer);
        return sent.command();
    }

    @Test
    void returnsToTheSmallestTokenBlockWhenOneIsNotUsedUp() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), EngineSettings.Handover.FENCING_TOKENS - 1);
        CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> next = engine.acquireAsync(REQUEST); // keeps the queue
        engine.acquireAsync(REQUEST.lease(OTHER_LEASE)); // gets no handover
        releaseOf(last).answer().complete(new ReleaseResult.Released(0));
        AcquireResult granted = new AcquireResult.Granted(200, 0);
        assertThat(answered(backend.nextAcquire(), granted).fencingTokens())
                .isEqualTo(2 * EngineSettings.Handover.FENCING_TOKENS);
        resultOf(follower).release();
        releaseOf(resultOf(next)).answer().complete(new ReleaseResult.Released(0));
        engine.acquireAsync(REQUEST);
        assertThat(backend.nextAcquire().command().fencingTokens()).isEqualTo(EngineSettings.Handover.FENCING_TOKENS);
    }

    @Test
    void aTryForALockOfTheSameInstanceIsRefusedWithoutACommand() throws Exception {
        granted(REQUEST, 1);
        assertThat(engine.tryAcquire(REQUEST.withoutWaiting())).isEmpty();
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(30)));
        letPass(Duration.ofMillis(30));
        assertFails(brief, LockNotAcquiredException.class)
                .hasMessageContaining("Could not acquire lock 'order:42' within 30ms")
                .hasMessageContaining("behind other callers of this JVM");
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void anInnerReleaseDoesNotHandOver() throws Exception {
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
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        attempt.answer().complete(contended());
        backend.signal(KEY);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(100, 0));
        assertThat(resultOf(waiting).fencingToken()).isEqualTo(101);
    }

    // Other instances that wait, and how many handovers they wait for

    @Test
    void handsOverSixteenTimesWhenTheGrantSaysThatAnotherInstanceWaits() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 1), 16);
        engine.acquireAsync(REQUEST);
        Sent<ReleaseCommand, ReleaseResult> release = releaseOf(last);
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
        assertThat(releaseOf(last).command().requeue()).isPresent();
    }

    @Test
    void countsANoticeThatArrivesBeforeTheGrant() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.wanted(KEY);
        attempt.answer().complete(new AcquireResult.Granted(100, 0));
        LockHandle last = handOver(resultOf(acquiring), 16);
        engine.acquireAsync(REQUEST);
        assertThat(releaseOf(last).command().requeue()).isPresent();
    }

    @Test
    void theReleaseRevealsAnInstanceWhoseNoticeWasLost() throws Exception {
        LockHandle last = handOver(waitedFor(REQUEST, 100, 0), EngineSettings.Handover.FENCING_TOKENS - 1);
        CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
        releasing(last);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        backend.nextRelease().answer().complete(new ReleaseResult.Released(1));
        attempt.answer().complete(new AcquireResult.Granted(200, 0)); // the other one was taken out by the release
        last = handOver(resultOf(follower), 16);
        engine.acquireAsync(REQUEST);
        assertThat(releaseOf(last).command().requeue()).isPresent();
    }

    @Test
    void leavesTheQueueWhenItsLastWaiterGivesUpDuringTheRelease() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        Sent<ReleaseCommand, ReleaseResult> release = releaseOf(first);
        assertThat(release.command().requeue()).isPresent();
        waiting.cancel(false);
        release.answer().complete(new ReleaseResult.Released(1));
        backend.nextWithdrawal().answer().complete(new ReleaseResult.Released(0));
    }

    @Test
    void triesAtOnceWhenTheReleaseSignalledNobody() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 1);
        engine.acquireAsync(REQUEST);
        releaseOf(first).answer().complete(new ReleaseResult.Released(0));
        backend.nextAcquire();
    }

    @Test
    void asksForItsSlotWhenAnotherOneIsReleasedThatNoWaiterMayHave() throws Exception {
        LockHandle first = slot(0);
        LockHandle second = slot(1);
        engine.acquireAsync(REQUEST); // for the first slot only
        releaseOf(first).answer().complete(new ReleaseResult.Released(1));
        assertThat(releaseOf(second).command().requeue()).isEmpty();
        backend.nextAcquire();
    }

    @Test
    void looksAsSoonAsANewWaiterAfterTheReleaseThatQueuesTheInstanceAgain() throws Exception {
        LockHandle first = slot(0);
        CompletableFuture<LockHandle> forBoth = engine.acquireAsync(OF_TWO);
        for (int i = 0; i < 4; i++) {
            backend.nextAcquire().answer().complete(contended());
            letPass(RETRY_DELAY.dividedBy(2));
        }
        backend.nextAcquire().answer().complete(contended());
        forBoth.cancel(false);
        backend.nextWithdrawal().answer().complete(new ReleaseResult.Released(0));
        engine.acquireAsync(REQUEST);
        releaseOf(first).answer().complete(new ReleaseResult.Released(1));
        letPass(RETRY_DELAY.dividedBy(10).plusMillis(20)); // the timer is as coarse
        settle();
        assertThat(backend.pollAcquire()).isPresent();
    }

    /** A hold of one of two slots, while another instance waits. */
    private LockHandle slot(int slot) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(OF_TWO);
        backend.nextAcquire()
                .answer()
                .complete(new AcquireResult.Granted(100L * (slot + 1), 1, Optional.empty(), "", slot));
        return resultOf(acquiring);
    }

    @Test
    void dropsItsFormerPlaceWhenTheReleaseQueuesTheInstanceAgain() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 1);
        engine.acquireAsync(REQUEST); // with another lease
        backend.signal(KEY); // such as after a reconnect of the mailbox
        backend.nextAcquire().answer().complete(contended()); // place 7, while this instance has the lock itself
        releaseOf(first).answer().complete(new ReleaseResult.Released(1));
        backend.signal(KEY);
        assertThat(backend.nextAcquire().command().waiting().orElseThrow().position())
                .isEqualTo(AcquireCommand.Waiting.NEW);
    }

    @Test
    void leavesTheQueueAfterAReleaseWithUnknownOutcomeWhenNobodyWaits() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        Sent<ReleaseCommand, ReleaseResult> release = releaseOf(first);
        waiting.cancel(false);
        release.answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));
        backend.nextWithdrawal();
    }

    @Test
    void attemptsAtOnceForAWaiterAfterAReleaseWithUnknownOutcomeThatFailsTheTries() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        Sent<ReleaseCommand, ReleaseResult> release = releaseOf(first);
        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.maxWait(Duration.ZERO));
        release.answer().complete(new ReleaseResult.Unknown("no answer within 2s", cause));

        assertFails(trying, LockBackendException.class).hasMessageContaining("was not acquired: no answer within 2s");
        backend.nextAcquire().answer().complete(grant(200, 0));
        assertThat(resultOf(waiting).isHeld()).isTrue();
    }

    @Test
    void aReleaseWithUnknownOutcomeLeavesAnAttemptUnderWayToItsCaller() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 1);
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.maxWait(Duration.ofSeconds(1)));
        backend.signal(KEY); // such as after a reconnect of the mailbox
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        Sent<ReleaseCommand, ReleaseResult> release = releaseOf(first);
        letPass(Duration.ofSeconds(2));
        await().until(() -> engine.admin().waiters().isEmpty()); // it waits only for the answer
        release.answer().complete(new ReleaseResult.Unknown("no connection", cause));
        attempt.answer().complete(grant(200, 0));

        assertThat(resultOf(brief).isHeld()).isTrue();
    }

    @Test
    void retriesWhenTheSignalOfTheOtherInstanceIsLost() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 1);
        engine.acquireAsync(REQUEST);
        releaseOf(first).answer().complete(new ReleaseResult.Released(1));
        letPass(RETRY_DELAY);
        backend.nextAcquire(); // without a signal
    }

    // The lease, and leases that are not handed over

    @Test
    void handsOverOnlyInTheFirstThirdOfALease() throws Exception {
        LockRequest request = REQUEST.lease(Duration.ofSeconds(6));
        LockHandle first = waitedFor(request, 100, 0);
        engine.acquireAsync(request);
        letPass(Duration.ofSeconds(2));
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal(); // after a third
        releasing(first);
        renewal.answer().complete(new RenewResult.Renewed());
        assertThat(backend.nextRelease().command().requeue()).isEmpty();
        backend.nextAcquire();
    }

    @Test
    void doesNotHandOverToAWaiterWithAnotherLease() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        engine.acquireAsync(REQUEST.lease(OTHER_LEASE));
        releaseOf(first);
        assertThat(backend.nextAcquire().command().lease()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void doesNotHandOverAnExtendedLease() throws Exception {
        LockHandle first = waitedFor(REQUEST.lease(OTHER_LEASE), 100, 0);
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> first.extend(REQUEST.lease(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        resultOf(extending);
        engine.acquireAsync(REQUEST.lease(OTHER_LEASE));
        releaseOf(first);
        backend.nextAcquire();
    }

    @Test
    void doesNotHandOverALockThatAnExtensionFoundLost() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture.runAsync(
                () -> first.extend(REQUEST.lease(Duration.ofSeconds(30))), EngineInterleavings::onNewThread);
        Sent<RenewCommand, RenewResult> extension = backend.nextRenewal();
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        await().until(() -> !first.isHeld());
        assertThat(backend.isQuiet())
                .as("the release follows the answer to the extension")
                .isTrue();
        extension.answer().complete(new RenewResult.NotHeld());

        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld());
        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.LOST);
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(300, 0));
        assertThat(resultOf(waiting).fencingToken()).isEqualTo(300);
    }

    @Test
    void doesNotHandOverToAWaiterWithoutRenewal() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.withoutRenewal());
        CompletableFuture<ReleaseOutcome> releasing = releasing(first);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        backend.nextAcquire().answer().complete(new AcquireResult.Granted(300, 0));

        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(resultOf(waiting).fencingToken()).isEqualTo(300);
    }

    @Test
    void aHandedOverHoldIsRenewedAndLostIndependently() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        CountDownLatch firstLost = new CountDownLatch(1);
        CountDownLatch secondLost = new CountDownLatch(1);
        first.onLost(firstLost::countDown);
        resultOf(releasing(first));
        LockHandle second = resultOf(waiting);
        second.onLost(secondLost::countDown);
        letPass(EngineSettings.DEFAULTS.lease().dividedBy(3));
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        assertThat(renewal.command().fencingToken()).isEqualTo(163);
        renewal.answer().complete(new RenewResult.NotHeld());

        assertThat(secondLost.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(firstLost.getCount()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(losses)
                .singleElement()
                .extracting(LockEvent.Lost::fencingToken)
                .isEqualTo(101L));
    }

    @Test
    void aWaiterTriesAsSoonAsTheHoldOfItsInstanceIsLost() throws Exception {
        LockHandle first = granted(REQUEST, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        assertThat(backend.isQuiet())
                .as("no attempt for a lock that this instance holds")
                .isTrue();
        suspend(Duration.ofMillis(30_100));
        assertThat(first.isHeld()).isFalse();

        backend.nextAcquire().answer().complete(new AcquireResult.Granted(2, 0));
        assertThat(resultOf(waiting).fencingToken()).isEqualTo(2);
    }

    // Races

    @Test
    void skipsAWaiterThatGaveUp() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
        fickle.cancel(false);
        resultOf(releasing(first));

        assertThat(resultOf(patient).fencingToken()).isEqualTo(101);
        assertThat(backend.isQuiet()).isTrue();
    }

    @Test
    void aWaiterThatGivesUpDuringTheHandOverPassesTheLockOn() throws Exception {
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
            if (fickle.handle((handle, failure) -> handle != null).get(Patience.SECONDS, TimeUnit.SECONDS)) {
                assertThat(fickle.get().release()).isEqualTo(ReleaseOutcome.RELEASED);
            }
            holder = resultOf(patient);
            assertThat(holder.isHeld()).isTrue();
            assertThat(holder.fencingToken()).isGreaterThan(newest);
            newest = holder.fencingToken();
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn or released").isTrue();
        assertThat(engine.heldLocks().size()).isEqualTo(1);
    }

    @Test
    void aWaiterThatIsInterruptedDuringTheHandOverPassesTheLockOn() throws Exception {
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
            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> engine.admin().waiters().size() == 1);
            CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
            LockHandle leaving = holder;
            onNewThread(leaving::release);
            interrupted.interrupt();
            resultOf(acquired);
            holder = resultOf(patient);
            assertThat(holder.isHeld()).isTrue();
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn or released").isTrue();
    }

    @Test
    void aTimeoutDuringTheHandOverLosesNoLock() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 100, 0);
        for (int i = 0; i < 15; i++) {
            CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(10)));
            CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
            long releaseAt = System.nanoTime() + 8_000_000 + i * 500_000L; // around the end of the wait
            await().pollInterval(Duration.ofNanos(100_000)).until(() -> System.nanoTime() - releaseAt >= 0);
            resultOf(releasing(holder));
            if (brief.handle((handle, failure) -> handle != null).get(Patience.SECONDS, TimeUnit.SECONDS)) {
                brief.get().release();
            }
            holder = resultOf(patient);
            assertThat(holder.isHeld()).isTrue();
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn or released").isTrue();
    }

    /** The grant belongs to the instance, not to one waiter. */
    @Test
    void givesTheGrantOfACancelledWaiterToTheNextOneWithTheSameTerms() throws Exception {
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
        backend.nextAcquire().answer().complete(contended());
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
        fickle.cancel(false);
        assertThat(backend.isQuiet()).as("one attempt at a time").isTrue();
        attempt.answer().complete(new AcquireResult.Granted(100, 0));

        LockHandle taken = resultOf(patient);
        assertThat(taken.fencingToken()).isEqualTo(100);
        assertThat(fickle).isCancelled();
        assertThat(backend.isQuiet())
                .as("neither given back nor asked for again")
                .isTrue();
        assertThat(releaseOf(taken).command().token())
                .isEqualTo(attempt.command().token());
    }

    @Test
    void aHandedOverLockIsLostWhenTheStoreGrantsItAgain() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        backend.signal(KEY); // a spurious signal
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        resultOf(releasing(first));

        LockHandle second = resultOf(waiting);
        assertThat(second.fencingToken()).isEqualTo(101);
        assertThat(backend.isQuiet()).as("nothing follows before the answer").isTrue();
        attempt.answer().complete(new AcquireResult.Granted(200, 0));
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(second.isHeld())
                .as("the store has given the lock to another token")
                .isFalse();
        assertThat(resultOf(releasing(second))).isEqualTo(ReleaseOutcome.LOST);
        backend.nextRelease();
        assertThat(backend.isQuiet())
                .as("the instance has left the queue already")
                .isTrue();
    }

    @Test
    void doesNotWithdrawTheGrantOfAHolderThatReleasesAtOnce() throws Exception {
        for (int i = 0; i < 100; i++) {
            CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST);
            CompletableFuture<LockHandle> follower = engine.acquireAsync(REQUEST);
            backend.nextAcquire().answer().complete(contended());
            backend.signal(KEY);
            Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
            CompletableFuture<ReleaseOutcome> left = brief.thenApply(LockHandle::release);
            attempt.answer().complete(new AcquireResult.Granted(1 + 100L * i, 0));
            assertThat(resultOf(left)).isEqualTo(ReleaseOutcome.RELEASED);
            CompletableFuture<ReleaseOutcome> last = releasing(resultOf(follower));
            Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
            assertThat(release.command().token()).isEqualTo(attempt.command().token());
            release.answer().complete(new ReleaseResult.Released(0));
            resultOf(last);
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn").isTrue();
    }

    /** The release follows the answer to the extension; waiters try only then. */
    @Test
    void aReleaseThatFollowsARenewalWakesTheWaiters() throws Exception {
        for (int i = 0; i < 40; i++) {
            LockHandle first = granted(REQUEST, i + 1);
            CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
            CountDownLatch start = new CountDownLatch(1);
            CompletableFuture<Void> extending = CompletableFuture.runAsync(
                    () -> {
                        awaitQuietly(start);
                        first.extend(REQUEST.lease(Duration.ofSeconds(30)));
                    },
                    EngineInterleavings::onNewThread);
            CompletableFuture<ReleaseOutcome> releasing = CompletableFuture.supplyAsync(
                    () -> {
                        awaitQuietly(start);
                        return first.release();
                    },
                    EngineInterleavings::onNewThread);
            int before = releases();
            start.countDown();
            await().pollInterval(Duration.ofMillis(1)).until(() -> {
                backend.pollRenewal().ifPresent(extension -> {
                    assertThat(releases()).as("sent before the answer").isEqualTo(before);
                    extension.answer().complete(new RenewResult.Renewed());
                });
                return releases() > before;
            });
            backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
            resultOf(releasing);
            backend.nextAcquire().answer().complete(new AcquireResult.Rejected("enough", cause));
            assertThatThrownBy(() -> resultOf(waiting)).hasMessageContaining("enough");
            backend.forget();
            extending.handle((done, failure) -> null).get(Patience.SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The instance that the requeuing release has signalled may not have the lock yet. */
    @Test
    void aWaitThatIsOverDuringTheReleaseEndsWithTheNextAttempt() throws Exception {
        LockHandle first = granted(REQUEST, 1);
        backend.wanted(KEY);
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.maxWait(Duration.ofMillis(50)));
        Sent<ReleaseCommand, ReleaseResult> release = releaseOf(first);
        assertThat(release.command().requeue()).isPresent();
        letPass(Duration.ofMillis(50)); // its wait is over before the answer
        await().until(() -> engine.admin().waiters().isEmpty());
        assertThat(brief).isNotDone();
        release.answer().complete(new ReleaseResult.Released(1));

        backend.nextAcquire().answer().complete(contended());
        assertFails(brief, LockNotAcquiredException.class);
        assertThat(backend.nextWithdrawal().command().key()).isEqualTo(KEY);
    }

    @Test
    void aStopDuringTheHandOverLeavesNothingHeld() throws Exception {
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
            resultOf(releasing);
            if (waiting.handle((handle, failure) -> handle != null).get(Patience.SECONDS, TimeUnit.SECONDS)) {
                assertThat(waiting.get().isHeld()).isFalse();
            }
            assertThat(releases()).as("releases of the grant").isGreaterThan(before);
            engine.start();
            assertThat(engine.heldLocks().size()).isZero();
            backend.forget();
        }
    }

    private int releases() {
        return (int)
                backend.log.stream().filter(ReleaseCommand.class::isInstance).count();
    }
}

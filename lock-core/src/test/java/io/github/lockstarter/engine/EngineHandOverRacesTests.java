package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiters that give up or arrive during a hand-over, and a stop. */
class EngineHandOverRacesTests extends HandOverInterleavings {

    @Test
    void skipsAWaiterThatGaveUp() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> fickle = engine.acquireAsync(REQUEST);
        CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
        fickle.cancel(false);
        releasing(first).get(Patience.SECONDS, TimeUnit.SECONDS);

        assertThat(patient.get(Patience.SECONDS, TimeUnit.SECONDS).fencingToken())
                .isEqualTo(101);
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
            holder = patient.get(Patience.SECONDS, TimeUnit.SECONDS);
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
            acquired.get(Patience.SECONDS, TimeUnit.SECONDS);
            holder = patient.get(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(holder.isHeld()).isTrue();
        }
        assertThat(backend.isQuiet()).as("nothing was withdrawn or released").isTrue();
    }

    @Test
    void aTimeoutDuringTheHandOverLosesNoLock() throws Exception {
        LockHandle holder = waitedFor(REQUEST, 100, 0);
        for (int i = 0; i < 15; i++) {
            CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofMillis(10)));
            CompletableFuture<LockHandle> patient = engine.acquireAsync(REQUEST);
            long releaseAt = System.nanoTime() + 8_000_000 + i * 500_000L; // around the end of the wait
            await().pollInterval(Duration.ofNanos(100_000)).until(() -> System.nanoTime() - releaseAt >= 0);
            releasing(holder).get(Patience.SECONDS, TimeUnit.SECONDS);
            if (brief.handle((handle, failure) -> handle != null).get(Patience.SECONDS, TimeUnit.SECONDS)) {
                brief.get().release();
            }
            holder = patient.get(Patience.SECONDS, TimeUnit.SECONDS);
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

        LockHandle taken = patient.get(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(taken.fencingToken()).isEqualTo(100);
        assertThat(fickle).isCancelled();
        assertThat(backend.isQuiet())
                .as("neither given back nor asked for again")
                .isTrue();
        releasing(taken);
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
    }

    @Test
    void aHandedOverLockIsLostWhenTheStoreGrantsItAgain() throws Exception {
        LockHandle first = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        backend.signal(KEY); // a spurious signal
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        releasing(first).get(Patience.SECONDS, TimeUnit.SECONDS);

        LockHandle second = waiting.get(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(second.fencingToken()).isEqualTo(101);
        assertThat(backend.isQuiet()).as("nothing follows before the answer").isTrue();
        attempt.answer().complete(new AcquireResult.Granted(200, 0));
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attempt.command().token());
        assertThat(second.isHeld())
                .as("the store has given the lock to another token")
                .isFalse();
        assertThat(releasing(second).get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.LOST);
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
            assertThat(left.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
            CompletableFuture<ReleaseOutcome> last = releasing(follower.get(Patience.SECONDS, TimeUnit.SECONDS));
            Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
            assertThat(release.command().token()).isEqualTo(attempt.command().token());
            release.answer().complete(new ReleaseResult.Released(0));
            last.get(Patience.SECONDS, TimeUnit.SECONDS);
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
                        first.extend(REQUEST.leasedFor(Duration.ofSeconds(30)));
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
            releasing.get(Patience.SECONDS, TimeUnit.SECONDS);
            backend.nextAcquire().answer().complete(new AcquireResult.Rejected("enough", cause));
            assertThatThrownBy(() -> waiting.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("enough");
            backend.forget();
            extending.handle((done, failure) -> null).get(Patience.SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The answer to the requeuing release says that another instance has the lock. */
    @Test
    void aWaitThatIsOverDuringTheReleaseEndsWithTheAnswerOfTheRelease() throws Exception {
        LockHandle first = granted(REQUEST, 1);
        backend.wanted(KEY);
        CompletableFuture<LockHandle> brief = engine.acquireAsync(REQUEST.waitingUpTo(Duration.ofMillis(50)));
        releasing(first);
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().requeue()).isPresent();
        await().pollDelay(Duration.ofMillis(100)).until(() -> true); // its wait is over before the answer
        assertThat(brief).isNotDone();
        release.answer().complete(new ReleaseResult.Released(1));

        assertThatThrownBy(() -> brief.get(Patience.SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(LockNotAcquiredException.class);
        assertThat(backend.pollAcquire()).isEmpty();
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
            releasing.get(Patience.SECONDS, TimeUnit.SECONDS);
            if (waiting.handle((handle, failure) -> handle != null).get(Patience.SECONDS, TimeUnit.SECONDS)) {
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
}

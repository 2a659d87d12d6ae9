package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.BlockingWork;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link OnLost#INTERRUPT}: a loss ends work that blocks. The test lets the leases pass. */
@Timeout(300)
class InterruptOnLossTests {

    private static final Duration LEASE = EngineSettings.DEFAULTS.lease();

    /** Its lease ends when the test lets it pass. */
    private static final LockRequest BRIEF =
            LockRequest.of("brief").withoutRenewal().onLost(OnLost.INTERRUPT);

    /** Of a lock that is lost while others are held. */
    private static final Duration SHORTER = LEASE.dividedBy(2);

    private static final LockRequest RENEWED = LockRequest.of("renewed").onLost(OnLost.INTERRUPT);

    private static final String CONFIGURED = "configured";

    private final SettableClock clock = new SettableClock();
    private final LockEngine engine =
            new LockEngine(new LocalLockBackend(clock::nanos), settings(), List.of(), clock.environment());
    private final LockTemplate locks = new LockTemplate(engine);
    private final CountDownLatch never = new CountDownLatch(1);

    /** Of a race: whether the call has begun, and its lease has not ended. */
    private final AtomicBoolean running = new AtomicBoolean();

    private int number;

    private static EngineSettings settings() {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                LockTerms.NONE,
                defaults.maxLease(),
                defaults.maxRetryDelay(),
                defaults.handover(),
                defaults.shownPlace(),
                defaults.warnAfter(),
                Map.of(CONFIGURED, LockTerms.NONE.onLost(OnLost.INTERRUPT)));
    }

    @AfterEach
    void stop() {
        Thread.interrupted();
        engine.close();
    }

    private LockLostException lossOf(LockRequest request, LockedTask<Exception> work) {
        return catchThrowableOfType(LockLostException.class, () -> locks.execute(request, work));
    }

    private void assertNothingLeft() {
        assertThat(Thread.currentThread().isInterrupted())
                .as("flag after the call")
                .isFalse();
        assertThat(engine.heldLocks().size()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void endsWorkThatBlocks(BlockingWork work) {
        LockLostException loss = lossOf(BRIEF, () -> {
            clock.letPass(LEASE);
            work.run();
        });

        assertThat(loss.key()).isEqualTo("brief");
        assertThat(loss.getSuppressed())
                .<Object>extracting(Object::getClass)
                .containsExactlyElementsOf(work.thrown().stream().toList());
        assertNothingLeft();
    }

    /** Otherwise an interrupt of another origin could end the work. */
    @ParameterizedTest
    @EnumSource(names = {"THROW", "RETURN"})
    void theCheckFindsWorkThatIsNotInterrupted(OnLost other) throws Exception {
        AtomicBoolean passed = new AtomicBoolean();
        Throwable thrown = catchThrowable(() -> locks.execute(BRIEF.onLost(other), () -> {
            clock.letPass(LEASE);
            passed.set(!never.await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS));
        }));
        assertThat(passed).isTrue();
        assertThat(thrown instanceof LockLostException).isEqualTo(other == OnLost.THROW);
        assertNothingLeft();
    }

    @Test
    void throwsTheLossAfterWorkThatCaughtTheInterruptAndWentOn() {
        AtomicBoolean wentOn = new AtomicBoolean();
        LockLostException loss = lossOf(BRIEF, () -> {
            clock.letPass(LEASE);
            assertThatThrownBy(never::await).isInstanceOf(InterruptedException.class);
            assertThat(LockHandle.current().orElseThrow().state()).isEqualTo(HoldState.LOST);
            wentOn.set(true);
        });
        assertThat(loss.getSuppressed()).isEmpty();
        assertThat(wentOn).isTrue();
        assertNothingLeft();
    }

    @Test
    void addsAnyFailureOfTheWorkToTheLoss() {
        IllegalStateException failure = new IllegalStateException("out of stock");
        LockLostException loss = lossOf(BRIEF, () -> {
            clock.letPass(LEASE);
            BlockingWork.SPINNING.run();
            throw failure;
        });
        assertThat(loss.getSuppressed()).containsExactly(failure);
        assertNothingLeft();
    }

    @Test
    void rethrowsTheFailureOfWorkWhoseLockWasHeld() {
        IllegalStateException failure = new IllegalStateException("out of stock");
        assertThatThrownBy(() -> locks.execute(BRIEF, () -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
        assertNothingLeft();
    }

    @Test
    void skippedOrExecutedWorkIsInterrupted() {
        assertThatThrownBy(() -> locks.tryExecute(BRIEF, () -> {
                    clock.letPass(LEASE);
                    never.await();
                }))
                .isInstanceOf(LockLostException.class);
        assertNothingLeft();
    }

    @Test
    void interruptsWorkUnderALockOfAConfiguredName() {
        LockRequest named = LockRequest.of("other").named(CONFIGURED).withoutRenewal();
        assertThat(lossOf(named, () -> {
                    clock.letPass(LEASE);
                    never.await();
                }))
                .hasMessageContaining("'other'");
        assertNothingLeft();
    }

    /** Two keys: both are lost at once, and the callback runs for one of them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void interruptsWhenTheCallbacksHaveReturned(int keys) {
        List<String> order = new CopyOnWriteArrayList<>();
        CountDownLatch interrupted = new CountDownLatch(1);
        LockLostException loss = lossOf(BRIEF.withKeys(List.of("a", "b").subList(0, keys)), () -> {
            LockHandle.current().orElseThrow().onLost(() -> {
                order.add(isOver(interrupted) ? "interrupted during the callback" : "called back");
            });
            clock.letPass(LEASE);
            try {
                never.await();
            } finally {
                order.add("interrupted");
                interrupted.countDown();
            }
        });
        assertThat(loss.getSuppressed()).hasAtLeastOneElementOfType(InterruptedException.class);
        assertThat(order).containsExactly("called back", "interrupted");
        assertNothingLeft();
    }

    private static boolean isOver(CountDownLatch latch) {
        try {
            return latch.await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void interruptsAlthoughACallbackFails() {
        assertThat(lossOf(BRIEF, () -> {
                    LockHandle.current().orElseThrow().onLost(() -> {
                        throw new IllegalStateException("planted");
                    });
                    clock.letPass(LEASE);
                    never.await();
                }))
                .isNotNull();
        assertNothingLeft();
    }

    // Nested calls

    /** The inner call ends with the exception of its body, the outer one with its own loss. */
    @Test
    void theLossOfTheOuterLockInterruptsTheInnermostWork() {
        AtomicReference<Throwable> ofInner = new AtomicReference<>();
        LockLostException loss = lossOf(BRIEF.lease(SHORTER), () -> {
            ofInner.set(catchThrowable(() -> locks.execute(RENEWED, () -> {
                clock.letPass(SHORTER);
                never.await();
            })));
            throw new IllegalStateException(
                    "interrupted: " + Thread.currentThread().isInterrupted());
        });
        assertThat(ofInner.get()).isInstanceOf(InterruptedException.class).hasNoSuppressedExceptions();
        assertThat(loss.key()).isEqualTo("brief");
        assertThat(loss.getSuppressed())
                .extracting(Throwable::getMessage)
                .as("the outer work")
                .containsExactly("interrupted: true");
        assertNothingLeft();
    }

    /** As when the store is frozen. The outer work is interrupted in its own blocking call. */
    @Test
    void eachCallReportsTheLossOfItsOwnLock() {
        AtomicReference<Throwable> ofInner = new AtomicReference<>();
        LockLostException loss = lossOf(BRIEF, () -> {
            LockRequest inner = RENEWED.withoutRenewal();
            ofInner.set(catchThrowable(() -> locks.execute(inner, () -> {
                clock.letPass(LEASE);
                never.await();
            })));
            never.await();
        });
        assertThat(ofInner.get()).isInstanceOfSatisfying(LockLostException.class, inner -> {
            assertThat(inner.key()).isEqualTo("renewed");
            assertThat(inner.getSuppressed()).singleElement().isInstanceOf(InterruptedException.class);
        });
        assertThat(loss.key()).isEqualTo("brief");
        assertThat(loss.getSuppressed()).singleElement().isInstanceOf(InterruptedException.class);
        assertNothingLeft();
    }

    @Test
    void aNestedCallOfTheSameLockReportsTheLossToo() {
        AtomicReference<Throwable> ofInner = new AtomicReference<>();
        LockLostException loss = lossOf(BRIEF, () -> {
            ofInner.set(catchThrowable(() -> locks.execute(
                    "brief",
                    () -> { // of the outer call, as renewal
                        clock.letPass(LEASE);
                        never.await();
                    })));
        });
        assertThat(ofInner.get()).isInstanceOf(LockLostException.class);
        assertThat(loss.key()).isEqualTo("brief");
        assertNothingLeft();
    }

    /** The wait for another lock is such work. */
    @Test
    void endsAWaitForAnotherLock() {
        LockHandle other = engine.acquireAsync(LockRequest.of("other")).join();
        LockLostException loss = lossOf(BRIEF.lease(SHORTER), () -> {
            clock.letPass(SHORTER);
            locks.acquire(LockRequest.of("other").maxWait(LockRequest.MAX_DURATION));
        });
        assertThat(loss.getSuppressed()).singleElement().isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        other.release();
    }

    // Interrupts of other origin, and work that is not interrupted

    @Test
    void keepsAnEarlierInterruptOfOtherCode() {
        LockLostException loss = lossOf(BRIEF, () -> {
            Thread.currentThread().interrupt();
            LockHandle lock = LockHandle.current().orElseThrow();
            clock.letPass(LEASE);
            while (lock.state() != HoldState.LOST) {
                Thread.onSpinWait();
            }
        });
        assertThat(loss).isNotNull();
        assertThat(Thread.interrupted()).isTrue();
        assertNothingLeft();
    }

    @Test
    void doesNotInterruptAThreadThatOnlyHoldsAHandle() throws Exception {
        LockHandle held = locks.acquire(BRIEF);
        clock.letPass(LEASE);
        await().until(() -> held.state() == HoldState.LOST);
        assertThat(never.await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        assertNothingLeft();
    }

    /** A thread that stops the application holds a lock, perhaps; the application's executors interrupt theirs. */
    @Test
    void theStopOfTheLockClientDoesNotInterrupt() {
        LockLostException loss = lossOf(RENEWED, () -> {
            engine.stop();
            assertThat(LockHandle.current().orElseThrow().state()).isEqualTo(HoldState.LOST);
            assertThat(never.await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS))
                    .isFalse();
        });
        assertThat(loss.getSuppressed()).isEmpty();
        assertNothingLeft();
    }

    @Test
    void anOperatorInterruptsTheWork() {
        LockLostException loss = lossOf(RENEWED, () -> {
            long token = LockHandle.current().orElseThrow().fencingToken();
            engine.admin().revoke("renewed", 0, token);
            never.await();
        });
        assertThat(loss.getSuppressed()).singleElement().isInstanceOf(InterruptedException.class);
        assertNothingLeft();
    }

    // Asynchronous work

    @Test
    void cancelsTheFutureOfAsynchronousWork() {
        CompletableFuture<String> work = new CompletableFuture<>();
        AtomicReference<CompletableFuture<String>> result = new AtomicReference<>();
        AtomicBoolean failedBefore = new AtomicBoolean();
        CompletableFuture<Void> seen = work.handle((value, cancelled) -> {
            failedBefore.set(result.get().isCompletedExceptionally());
            return null;
        });
        AtomicReference<Thread> runner = new AtomicReference<>();
        result.set(locks.executeAsync(BRIEF, () -> {
            runner.set(Thread.currentThread());
            return work;
        }));
        await("back in its pool")
                .until(() -> runner.get() != null && runner.get().getState() == Thread.State.TIMED_WAITING);
        clock.letPass(LEASE);

        assertThat(catchThrowable(result.get()::join))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LockLostException.class);
        Patience.answer(seen);
        assertThat(work).isCancelled();
        assertThat(failedBefore)
                .as("the caller's future failed before the cancellation")
                .isTrue();
    }

    @Test
    void leavesTheFutureOfAsynchronousWorkAloneOtherwise() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = locks.executeAsync(BRIEF.onLost(OnLost.THROW), () -> work);
        await().until(() -> engine.heldLocks().size() == 1);
        clock.letPass(LEASE);

        assertThatThrownBy(result::join).hasCauseInstanceOf(LockLostException.class);
        assertThat(never.await(Patience.MOMENT_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(work).isNotDone();
        work.complete("shipped");
    }

    // Races

    /** How often, in so many calls that race with the end of their lease, the thread was interrupted afterwards. */
    private int interruptedAfter(int calls, boolean untilFound, LockedAction<Boolean, RuntimeException> call)
            throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        Thread passing = new Thread(() -> {
            while (!stopped.get()) {
                if (running.get()) {
                    clock.letPass(LEASE);
                    running.set(false);
                }
                LockSupport.parkNanos(1);
            }
        });
        passing.start();
        int found = 0;
        try {
            for (int i = 0; i < calls && !(untilFound && found > 0); i++) {
                number = i;
                found += call.run() ? 1 : 0;
                while (running.get()) {
                    LockSupport.parkNanos(1);
                }
            }
        } finally {
            stopped.set(true);
            passing.join();
        }
        return found;
    }

    /** Every fourth call lasts until it is interrupted, the others for shorter and longer times. */
    private void work() {
        running.set(true);
        boolean untilInterrupted = number % 4 == 0;
        for (int step = number % 2_048; step > 0 || untilInterrupted; step--) {
            if (untilInterrupted && Thread.currentThread().isInterrupted()) {
                return;
            }
            Thread.onSpinWait();
        }
    }

    @Test
    @Timeout(1_800)
    void noThreadIsInterruptedAfterItsCallInAnyOfManyRaces() throws Exception {
        int found = interruptedAfter(Effort.of(1_000, 100_000), false, () -> {
            boolean interrupted = false;
            try {
                locks.execute(BRIEF, this::work);
            } catch (LockLostException loss) {
                interrupted = loss.getSuppressed().length > 0;
            } catch (LockInterruptedException late) {
                interrupted = true;
            }
            return Thread.interrupted() || interrupted;
        });
        assertThat(found).as("interrupts after the call").isZero();
        assertNothingLeft();
    }

    /** Clears the flag after the call, but interrupts whatever the thread does by then. */
    @Test
    void theCheckFindsAnInterruptAfterTheCallWithoutTheGuard() throws Exception {
        int found = interruptedAfter(Integer.MAX_VALUE, true, () -> {
            Thread thread = Thread.currentThread();
            boolean interrupted = false;
            try {
                locks.execute(BRIEF.onLost(OnLost.THROW), () -> {
                    LockHandle.current().orElseThrow().onLost(() -> {
                        LockSupport.parkNanos(1); // a step that no guard covers
                        thread.interrupt();
                    });
                    work();
                });
            } catch (LockLostException loss) {
                // expected
            } catch (LockInterruptedException late) {
                interrupted = true;
            }
            Thread.interrupted();
            for (int step = 0; step < 20 && !thread.isInterrupted(); step++) {
                LockSupport.parkNanos(1); // code after the call
            }
            return Thread.interrupted() || interrupted;
        });
        assertThat(found).isOne();
    }
}

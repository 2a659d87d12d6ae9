package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.SettableClock;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Actions that continue after they return, under locks that no thread owns. */
class ExecuteAsyncTests {

    private static final String KEY = "order:42";
    private static final LockRequest ONCE = LockRequest.of(KEY).withoutWaiting();

    /** Its lease ends when the test lets it pass. */
    private static final LockRequest BRIEF = ONCE.withoutRenewal();

    private static final Duration LEASE = EngineSettings.DEFAULTS.lease();

    private final SettableClock clock = new SettableClock();
    private final LockEngine engine =
            new LockEngine(new LocalLockBackend(clock::nanos), EngineSettings.DEFAULTS, List.of(), clock.environment());
    private final LockTemplate locks = new LockTemplate(engine);
    private final CompletableFuture<String> stage = new CompletableFuture<>();

    @AfterEach
    void stop() {
        engine.close();
    }

    private boolean isHeld() {
        return engine.heldLocks().find(KEY).isPresent();
    }

    private void awaitLoss(AtomicReference<LockHandle> handle) {
        await().until(() -> handle.get() != null);
        clock.letPass(LEASE);
        await().until(() -> !handle.get().isHeld());
    }

    private void awaitHeld() {
        await().until(this::isHeld);
    }

    @Test
    void holdsTheLockUntilTheStageEnds() {
        CompletableFuture<String> result = locks.executeAsync(KEY, () -> stage);
        awaitHeld();
        assertThat(result).isNotDone();
        stage.complete("shipped");
        assertThat(result.join()).isEqualTo("shipped");
        assertThat(isHeld()).isFalse();
    }

    @Test
    void releasesBeforeTheFutureFailsWithTheStage() {
        IOException failure = new IOException("disk full");
        CompletableFuture<String> result = locks.executeAsync(KEY, () -> stage.thenApply(value -> value));
        awaitHeld();
        stage.completeExceptionally(failure);
        assertThatThrownBy(result::get).isInstanceOf(ExecutionException.class).hasCause(failure);
        assertThat(isHeld()).isFalse();
    }

    @Test
    void failsTheFutureWithTheExceptionOfTheAction() {
        IllegalArgumentException failure = new IllegalArgumentException("no address");
        CompletableFuture<String> result = locks.executeAsync(KEY, () -> {
            throw failure;
        });
        assertThatThrownBy(result::join).hasCause(failure);
        assertThat(isHeld()).isFalse();
    }

    @Test
    void releasesWhenTheStageRefusesDependentStages() {
        CompletableFuture<String> refusing = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                throw new UnsupportedOperationException("no dependents");
            }
        };
        assertThatThrownBy(locks.executeAsync(KEY, () -> refusing)::join)
                .hasCauseInstanceOf(UnsupportedOperationException.class);
        assertThat(isHeld()).isFalse();
    }

    /** Such as a span that cannot be closed. */
    @Test
    void holdsTheLockUntilTheStageEndsWhenTheAroundAdviceFails() {
        LockTemplate failing = new LockTemplate(engine) {
            @Override
            protected <T, X extends Throwable> LockedAction<T, X> around(
                    LockRequest request, LockHandle handle, LockedAction<T, X> action) {
                return () -> {
                    action.run();
                    throw new IllegalStateException("around");
                };
            }
        };
        CompletableFuture<String> result = failing.executeAsync(KEY, () -> stage);
        awaitHeld();
        assertThat(result).isNotDone();
        stage.complete("shipped");
        assertThatThrownBy(result::join).hasRootCauseMessage("around");
        assertThat(isHeld()).isFalse();
    }

    @Test
    void failsWhenTheAroundAdviceDoesNotRunTheAction() {
        LockTemplate idle = new LockTemplate(engine) {
            @Override
            protected <T, X extends Throwable> LockedAction<T, X> around(
                    LockRequest request, LockHandle handle, LockedAction<T, X> action) {
                return () -> null;
            }
        };
        assertThatThrownBy(idle.<String>executeAsync(KEY, () -> stage)::join)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(isHeld()).isFalse();
    }

    /** Otherwise its lock could never be reported as abandoned. */
    @Test
    void doesNotKeepTheHandleOfAnUnreachableStageInMemory() {
        AtomicReference<WeakReference<LockHandle>> handle = new AtomicReference<>();
        CompletableFuture<String> result = locks.executeAsync(ONCE, () -> {
            handle.set(new WeakReference<>(LockHandle.current().orElseThrow()));
            return new CompletableFuture<String>();
        });
        await().until(() -> handle.get() != null);
        await().until(() -> {
            System.gc();
            clock.letPass(LEASE.dividedBy(3)); // in which the engine looks at the lock
            clock.settle();
            return handle.get().refersTo(null);
        });
        assertThat(result).isNotDone();
    }

    /** More actions than the client has threads for. */
    @Test
    void runsActionsWhileManyOthersBlock() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        LockHandle other = locks.acquire(LockRequest.of(KEY).ownedByHandle());
        try {
            List<LockHandle> others = IntStream.range(0, 65)
                    .mapToObj(i -> locks.acquire(LockRequest.of("blocked:" + i).ownedByHandle()))
                    .toList();
            others.forEach(each -> locks.executeAsync(each.key(), () -> {
                awaitUnchecked(end);
                return CompletableFuture.completedFuture("");
            }));
            CompletableFuture<String> result = locks.executeAsync(KEY, () -> CompletableFuture.completedFuture("ran"));
            others.forEach(LockHandle::release);
            other.release();
            assertThat(result.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("ran");
        } finally {
            end.countDown();
        }
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As many callbacks as the client has threads for losses. */
    @Test
    void failsAtALossWhileManyLossCallbacksBlock() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(16);
        try {
            for (int i = 0; i < 16; i++) {
                LockHandle lost = locks.acquire(
                        LockRequest.of("lost:" + i).withoutRenewal().ownedByHandle());
                lost.onLost(() -> {
                    blocked.countDown();
                    awaitUnchecked(end);
                });
            }
            clock.letPass(LEASE);
            blocked.await();
            CompletableFuture<String> result = locks.executeAsync(BRIEF, () -> stage);
            awaitHeld();
            clock.letPass(LEASE);
            assertThatThrownBy(() -> result.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockLostException.class);
        } finally {
            end.countDown();
        }
    }

    @Test
    void cancellingTheFutureEndsTheWait() {
        AtomicBoolean ran = new AtomicBoolean();
        LockHandle other = locks.acquire(KEY);
        CompletableFuture<String> result = locks.executeAsync(KEY, () -> {
            ran.set(true);
            return stage;
        });
        result.cancel(false);
        other.release();
        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
        locks.execute(KEY, () -> {}); // the cancelled caller left the queue
        assertThat(ran).isFalse();
    }

    @Test
    void cancellingTheFutureLeavesTheQueue() {
        AtomicReference<CompletableFuture<LockHandle>> acquiring = new AtomicReference<>();
        LockTemplate recording = new LockTemplate(new PassingSource(engine, request -> {
            acquiring.set(engine.acquireAsync(request));
            return acquiring.get();
        }));
        LockHandle other = locks.acquire(KEY);
        recording.executeAsync(KEY, () -> stage).cancel(false);
        assertThat(acquiring.get()).isCancelled();
        other.release();
    }

    private record PassingSource(LockSource source, Function<LockRequest, CompletableFuture<LockHandle>> acquiring)
            implements LockSource {

        @Override
        public LockHandle acquire(LockRequest request) {
            return source.acquire(request);
        }

        @Override
        public Optional<LockHandle> tryAcquire(LockRequest request) {
            return source.tryAcquire(request);
        }

        @Override
        public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
            return acquiring.apply(request);
        }

        @Override
        public HeldLocks heldLocks() {
            return source.heldLocks();
        }
    }

    @Test
    void releasesALockThatIsGrantedAfterTheCancellation() {
        CompletableFuture<LockHandle> granted = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                return false; // the grant was first
            }
        };
        LockTemplate late = new LockTemplate(new PassingSource(engine, request -> granted));
        late.executeAsync(KEY, () -> stage).cancel(false);
        granted.complete(locks.acquireAsync(KEY).join());
        await().until(() -> !isHeld());
        locks.tryAcquire(KEY).orElseThrow().release();
    }

    /** In any order, the lock is free at the end. */
    @Test
    void leavesNoLockHeldWhenCancelledDuringTheGrant() {
        for (int i = 0; i < 2_000; i++) {
            CompletableFuture<String> result =
                    locks.executeAsync(KEY, () -> CompletableFuture.completedFuture("shipped"));
            LockSupport.parkNanos(i % 3 == 0 ? 0 : i * 20L); // before, during and after the grant
            result.cancel(false);
        }
        await().until(() -> !isHeld());
        locks.tryAcquire(KEY).orElseThrow().release();
    }

    @Test
    void addsALossToTheFailureOfTheStage() {
        AtomicReference<LockHandle> handle = new AtomicReference<>();
        CompletableFuture<String> result = locks.executeAsync(BRIEF.onLost(OnLost.RETURN), () -> {
            handle.set(LockHandle.current().orElseThrow());
            return stage;
        });
        awaitLoss(handle);
        stage.completeExceptionally(new IOException("disk full"));
        assertThat(catchThrowable(result::join).getCause())
                .isInstanceOf(IOException.class)
                .satisfies(failure ->
                        assertThat(failure.getSuppressed()).hasAtLeastOneElementOfType(LockLostException.class));
    }

    @Test
    void runsOneActionAtATime() {
        CriticalSection section = new CriticalSection();
        List<CompletableFuture<Void>> results = IntStream.range(0, 20)
                .mapToObj(i -> locks.executeAsync(KEY, () -> {
                    LockHandle handle = LockHandle.current().orElseThrow();
                    return CompletableFuture.runAsync(
                            () -> section.run(handle.fencingToken()),
                            CompletableFuture.delayedExecutor(i % 3, TimeUnit.MILLISECONDS));
                }))
                .toList();
        results.forEach(CompletableFuture::join);
        section.assertExclusive(20);
    }

    /** More actions than threads wait for one that needs no thread. */
    @Test
    void blocksNoThreadWhileItWaits() {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<String> first = locks.executeAsync(KEY, () -> {
            started.countDown();
            return stage;
        });
        await().until(() -> started.getCount() == 0);
        int before = Thread.activeCount();
        List<CompletableFuture<String>> waiting = Stream.generate(
                        () -> locks.executeAsync(KEY, () -> CompletableFuture.completedFuture("next")))
                .limit(500)
                .toList();
        assertThat(Thread.activeCount()).isLessThan(before + 80);
        stage.complete("first");
        assertThat(first.join()).isEqualTo("first");
        assertThat(waiting).allSatisfy(each -> assertThat(each.join()).isEqualTo("next"));
    }

    @Test
    void reentersInsideItsOwnAction() {
        String result = locks.executeAsync(KEY, () -> {
                    long token = LockHandle.current().orElseThrow().fencingToken();
                    return locks.executeAsync(ONCE, () -> {
                        assertThat(LockHandle.current().orElseThrow().fencingToken())
                                .isEqualTo(token);
                        return CompletableFuture.completedFuture("inner");
                    });
                })
                .join();
        assertThat(result).isEqualTo("inner");
        assertThat(isHeld()).isFalse();
    }

    /** The outer stage has ended; its lock is released with the inner one. */
    @Test
    void keepsTheLockForAnInnerActionThatEndsLater() {
        AtomicReference<CompletableFuture<String>> inner = new AtomicReference<>();
        String outer = locks.executeAsync(KEY, () -> {
                    inner.set(locks.executeAsync(ONCE, () -> stage));
                    return CompletableFuture.completedFuture("outer");
                })
                .join();
        assertThat(outer).isEqualTo("outer");
        assertThat(locks.tryAcquire(KEY)).isEmpty();
        stage.complete("inner");
        assertThat(inner.get().join()).isEqualTo("inner");
        assertThat(isHeld()).isFalse();
    }

    @Test
    void refusesSeveralKeysWhenItsOwnActionHoldsOne() {
        CompletionStage<String> result = locks.executeAsync(
                KEY, () -> locks.executeAsync(LockRequest.ofAll(List.of(KEY, "order:43")), () -> stage));
        assertThatIllegalStateException()
                .isThrownBy(() -> {
                    try {
                        result.toCompletableFuture().join();
                    } catch (CompletionException e) {
                        throw e.getCause();
                    }
                })
                .withMessageContaining("'order:42, order:43' inside of lock 'order:42'");
        assertThat(isHeld()).isFalse();
    }

    @Test
    void reentersOneOfSeveralKeys() {
        locks.executeAsync(
                        LockRequest.ofAll(List.of("a", "b")),
                        () -> locks.executeAsync(LockRequest.of("b").withoutWaiting(), () -> {
                            assertThat(LockHandle.current().orElseThrow().keys())
                                    .containsExactly("b");
                            return CompletableFuture.completedFuture("inner");
                        }))
                .join();
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void doesNotReenterALockOfAnotherSource() {
        try (LockEngine another =
                new LockEngine(new LocalLockBackend(), EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM)) {
            LockTemplate others = new LockTemplate(another);
            LockHandle owner = others.acquire(KEY);
            AtomicBoolean ran = new AtomicBoolean();
            assertThatThrownBy(locks.executeAsync(
                            KEY,
                            () -> others.executeAsync(ONCE, () -> {
                                ran.set(true);
                                return CompletableFuture.completedFuture("inner");
                            }))::join)
                    .hasCauseInstanceOf(LockNotAcquiredException.class);
            assertThat(ran).isFalse();
            owner.release();
        }
    }

    /** A template over the same engine requests the same lock. */
    @Test
    void reentersThroughAnotherTemplateOfTheSameSource() {
        LockTemplate another = new LockTemplate(locks);
        assertThat(locks.executeAsync(
                                KEY, () -> another.executeAsync(ONCE, () -> CompletableFuture.completedFuture("inner")))
                        .join())
                .isEqualTo("inner");
    }

    /** As a consumer does whose messages start the next one. */
    @Test
    void dropsReleasedLocksFromAContextThatIsPassedOn() {
        LockContext context = LockContext.NONE;
        LockHandle lost = locks.acquireAsync(BRIEF).join();
        context = context.with(lost);
        clock.letPass(LEASE);
        await().until(() -> !lost.isHeld());
        for (int i = 0; i < 10; i++) {
            LockHandle handle =
                    locks.acquireAsync(LockRequest.of("message:" + i)).join();
            context = context.with(handle);
            handle.release();
        }
        assertThat(context.toString()).contains("message:9", KEY).doesNotContain("message:8");
        LockContext end = context;
        assertThatThrownBy(() -> end.reenter(ONCE, locks.heldLocks())).isInstanceOf(LockLostException.class);
    }

    @Test
    void theInnermostScopeDecidesWhichLockIsCurrent() {
        LockHandle handle = locks.acquireAsync(KEY).join();
        LockContext work = LockContext.NONE.with(handle);
        locks.execute("outer", () -> {
            assertThat(work.<String, RuntimeException>call(ExecuteAsyncTests::currentKey))
                    .isEqualTo(KEY);
            assertThat(currentKey()).isEqualTo("outer");

            LockContext before = work.bind(); // as context-propagation does around each operator
            assertThat(currentKey()).isEqualTo(KEY);
            locks.execute("innermost", () -> assertThat(currentKey()).isEqualTo("innermost"));
            before.bind();
            assertThat(currentKey()).isEqualTo("outer");
        });
        handle.release();
    }

    private static String currentKey() {
        return LockHandle.current().orElseThrow().key();
    }

    @Test
    void aThreadThatHoldsTheLockIsAnotherOwner() {
        locks.execute(KEY, () -> assertThatThrownBy(locks.executeAsync(ONCE, () -> stage)::join)
                .hasCauseInstanceOf(LockNotAcquiredException.class));
    }

    @Test
    void leavesNothingOnTheThreadThatStartedTheAction() {
        AtomicReference<Optional<LockHandle>> inside = new AtomicReference<>();
        AtomicReference<Optional<LockHandle>> left = new AtomicReference<>();
        CompletableFuture<String> ended = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                left.set(LockHandle.current()); // on the thread that started the action
                return super.whenComplete(action);
            }
        };
        ended.complete("");

        locks.executeAsync(KEY, () -> {
                    inside.set(LockHandle.current());
                    return ended;
                })
                .join();

        assertThat(inside.get()).isPresent();
        assertThat(left.get()).isEmpty();
        assertThat(LockContext.current()).isSameAs(LockContext.NONE);
    }

    // Handles

    @Test
    void releasesWithoutBlocking() {
        LockHandle handle = locks.acquireAsync(KEY).join();
        assertThat(handle.closeAsync().join()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(handle.closeAsync().join()).isEqualTo(ReleaseOutcome.ALREADY_RELEASED);
        assertThat(isHeld()).isFalse();
    }

    @Test
    void closesALostLockWithoutBlocking() {
        LockHandle handle = locks.acquireAsync(BRIEF).join();
        clock.letPass(LEASE);
        await().until(() -> !handle.isHeld());
        assertThatThrownBy(handle.closeAsync()::join)
                .hasCauseInstanceOf(LockLostException.class)
                .hasMessageContaining("Lost lock 'order:42'");
    }

    @Test
    void keepsTheLockForTheMinimumHoldOfAnInnerAction() {
        LockRequest kept = ONCE.minHold(Duration.ofSeconds(20));
        locks.executeAsync(KEY, () -> locks.executeAsync(kept, () -> CompletableFuture.completedFuture("inner")))
                .join();
        assertThat(isHeld()).isFalse();
        assertThat(locks.tryAcquire(KEY)).isEmpty();
    }

    @Test
    void keepsALockThatNeedsASuccessOnlyAfterIt() throws Exception {
        LockRequest once = ONCE.minHold(Duration.ofSeconds(20)).minHoldIf(MinHoldIf.SUCCESS);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> cancelled = locks.executeAsync(once, () -> {
            begun.countDown();
            return stage;
        });
        assertThat(begun.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        cancelled.cancel(false);
        stage.complete("too late");
        await().until(() -> !isHeld());
        assertThatThrownBy(locks.executeAsync(once, () -> CompletableFuture.failedFuture(new IOException("no")))::join)
                .hasCauseInstanceOf(IOException.class);
        locks.executeAsync(once, () -> CompletableFuture.completedFuture("done"))
                .join();

        assertThat(locks.tryAcquire(KEY)).isEmpty();
    }

    @Test
    void keepsOneOfSeveralLocksForTheMinimumHoldOfAnInnerAction() {
        LockRequest kept = LockRequest.of("b").minHold(Duration.ofSeconds(20));
        locks.executeAsync(
                        LockRequest.ofAll(List.of("a", "b")),
                        () -> locks.executeAsync(kept, () -> CompletableFuture.completedFuture("inner")))
                .join();
        assertThat(locks.tryAcquire("b")).isEmpty();
        assertThat(locks.tryAcquire("a")).isPresent();
    }

    @Test
    void reentersAHeldLockRepeatedly() {
        LockHandle outer = locks.acquireAsync(KEY).join();
        LockHandle inner = outer.reenter(ONCE).orElseThrow();
        assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
        assertThat(outer.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        assertThat(inner.isHeld()).isTrue();
        assertThat(outer.reenter(ONCE)).isEmpty();
        assertThat(inner.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(inner.reenter(ONCE)).isEmpty();
    }

    @Test
    void doesNotReenterALostHold() {
        LockHandle handle = locks.acquireAsync(BRIEF).join();
        clock.letPass(LEASE);
        await().until(() -> !handle.isHeld());
        assertThatThrownBy(() -> handle.reenter(ONCE)).isInstanceOf(LockLostException.class);
    }

    @Test
    void reentersOnlyItsOwnKeys() {
        try (LockHandle handle = locks.acquireAsync(KEY).join()) {
            assertThatThrownBy(() -> handle.reenter(LockRequest.of("other"))).hasMessageContaining("not [other]");
            assertThatThrownBy(() -> handle.reenter(LockRequest.ofAll(List.of(KEY, "other"))))
                    .hasMessageContaining("not [order:42, other]");
        }
    }
}

package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.SettableClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockTemplateTests {

    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final LockRequest BRIEF =
            LockRequest.of("brief").lease(LEASE).withoutRenewal();

    private final SettableClock clock = new SettableClock();
    private final LockEngine engine =
            new LockEngine(new LocalLockBackend(clock::nanos), EngineSettings.DEFAULTS, List.of(), clock.environment());
    private final LockTemplate locks = new LockTemplate(engine);

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void runsTheActionUnderTheLockAndReturnsItsResult() {
        String result = locks.execute("order:42", () -> {
            assertThat(engine.heldLocks().find("order:42")).isPresent();
            return "shipped";
        });
        assertThat(result).isEqualTo("shipped");
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void rethrowsTheExceptionOfTheActionUnchanged() {
        IOException failure = new IOException("disk full");
        assertThatThrownBy(() -> locks.execute("order:42", () -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void theCurrentHandleIsThatOfTheInnermostAction() {
        AtomicReference<Long> outer = new AtomicReference<>();
        locks.execute("a", () -> {
            outer.set(LockHandle.current().orElseThrow().fencingToken());
            locks.execute("b", () -> assertThat(LockHandle.current().map(LockHandle::key))
                    .contains("b"));
            assertThat(LockHandle.current().map(LockHandle::key)).contains("a");
        });
        assertThat(outer.get()).isPositive();
        assertThat(LockHandle.current()).isEmpty();
    }

    @Test
    void findsTheHandlesOfAllRunningActions() {
        locks.execute("a", () -> {
            locks.execute("b", () -> assertThat(LockHandle.allCurrent())
                    .extracting(LockHandle::key)
                    .containsExactly("b", "a"));
            assertThat(LockHandle.allCurrent()).extracting(LockHandle::key).containsExactly("a");
        });
        assertThat(LockHandle.allCurrent()).isEmpty();
    }

    @Test
    void throwsAfterAnActionWhoseLockWasLost() {
        assertThatThrownBy(() -> locks.execute(BRIEF, this::outliveTheLease))
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("check the fencing token where you write");
    }

    @Test
    void returnsTheResultDespiteALossWhenConfigured() {
        assertThat(locks.<String, RuntimeException>execute(BRIEF.onLost(OnLost.RETURN), () -> {
                    outliveTheLease();
                    return "done";
                }))
                .isEqualTo("done");
    }

    @Test
    void addsALossToTheFailureOfTheAction() {
        IllegalStateException failure = new IllegalStateException("out of stock");
        assertThatThrownBy(() -> locks.execute(BRIEF, () -> {
                    outliveTheLease();
                    throw failure;
                }))
                .isSameAs(failure)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
    }

    private void outliveTheLease() {
        LockHandle handle = LockHandle.current().orElseThrow();
        assertThat(handle.isHeld()).isTrue();
        clock.letPass(LEASE);
        assertThat(handle.isHeld()).isFalse();
    }

    private static final LockRequest ONCE = LockRequest.of("once")
            .minHold(Duration.ofSeconds(10))
            .minHoldIf(MinHoldIf.SUCCESS)
            .withoutWaiting();

    private boolean isKept() {
        return engine.admin().inspect("once").join() instanceof StoredLock.Kept;
    }

    @Test
    void keepsALockThatNeedsASuccessAfterANormalReturn() {
        locks.execute(ONCE, () -> {});

        assertThat(isKept()).isTrue();
        assertThat(locks.tryExecute(ONCE, () -> "again").wasExecuted()).isFalse();
    }

    @Test
    void freesALockThatNeedsASuccessAfterAFailure() {
        assertThatThrownBy(() -> locks.execute(ONCE, () -> {
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class);
        assertThat(isKept()).isFalse();
        locks.execute(ONCE, () -> CompletableFuture.failedFuture(new IOException("disk full")));
        assertThat(isKept()).as("a future that failed").isFalse();
        locks.execute(ONCE, () -> new CompletableFuture<>());
        assertThat(isKept()).as("a future that is not done").isFalse();
        locks.execute(ONCE, () -> CompletableFuture.completedFuture("done"));
        assertThat(isKept()).isTrue();
    }

    @Test
    void returnsAMinimalStageOfTheWork() {
        CompletionStage<String> stage = locks.execute("order:42", () -> CompletableFuture.completedStage("done"));

        assertThat(stage.toCompletableFuture()).isCompletedWithValue("done");
    }

    @Test
    void returnsAStageThatCannotTellItsOutcome() {
        CompletableFuture<String> stage = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> toCompletableFuture() {
                throw new IllegalStateException("refused");
            }
        };

        assertThat(locks.<CompletableFuture<String>, RuntimeException>execute("order:42", () -> stage))
                .isSameAs(stage);
    }

    @Test
    void freesALockThatNeedsASuccessAfterALoss() {
        locks.execute(ONCE.lease(LEASE).withoutRenewal().onLost(OnLost.RETURN), this::outliveTheLease);

        assertThat(isKept()).isFalse();
    }

    @Test
    void aHandleMustRecordTheSuccess() {
        locks.acquire(ONCE).close();
        assertThat(isKept()).isFalse();
        try (LockHandle handle = locks.acquire(ONCE)) {
            handle.recordSuccess();
            handle.recordSuccess();
        }
        assertThat(isKept()).isTrue();
    }

    @Test
    void refusesAJdkLockThatIsNotToldOfASuccess() {
        assertThatThrownBy(() -> locks.asLock(ONCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("minHoldIf of lock 'once' is SUCCESS, of which a java.util.concurrent.locks.Lock is not"
                        + " told. Use execute, or acquire and recordSuccess");
    }

    /** The condition of the name is that of its methods. */
    @Test
    void aJdkLockIsAlwaysKept() {
        LockTerms configured = LockTerms.NONE.minHold(Duration.ofSeconds(10)).minHoldIf(MinHoldIf.SUCCESS);
        EngineSettings defaults = EngineSettings.DEFAULTS;
        EngineSettings settings = new EngineSettings(
                defaults.terms(),
                defaults.maxLease(),
                defaults.maxRetryDelay(),
                defaults.handover(),
                defaults.shownPlace(),
                defaults.warnAfter(),
                Map.of("named", configured));
        try (LockEngine other =
                new LockEngine(new LocalLockBackend(clock::nanos), settings, List.of(), clock.environment())) {
            Lock lock = new LockTemplate(other).asLock(LockRequest.of("once").named("named"));
            lock.lock();
            try {
                assertThat(other.heldLocks().size()).isOne();
            } finally {
                lock.unlock();
            }
            assertThat(other.admin().inspect("once").join()).isInstanceOf(StoredLock.Kept.class);
        }
    }

    @Test
    void acquiresAllOfSeveralKeysOrNone() {
        LockRequest both = LockRequest.ofAll(List.of("b", "a", "b"));
        try (LockHandle handle = locks.acquire(both)) {
            assertThat(handle.keys()).containsExactly("a", "b");
            assertThat(handle.key()).isEqualTo("a, b");
            assertThat(handle.fencingToken("a")).isPositive();
            assertThatThrownBy(handle::fencingToken).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> handle.fencingToken("c")).isInstanceOf(IllegalArgumentException.class);
            assertThat(handle.isHeld()).isTrue();
        }
        assertThat(engine.heldLocks().size()).isZero();

        LockHandle other = engine.acquireAsync(LockRequest.of("b")).join();
        Optional<LockHandle> refused = locks.tryAcquire(both);
        assertThat(refused).isEmpty();
        assertThat(engine.heldLocks().snapshot()).extracting(HeldLock::key).containsExactly("b");
        other.release();
    }

    @Test
    void tryExecuteRunsTheActionOrReportsThatItSkipped() {
        Execution<String> execution = locks.tryExecute("report", () -> "written");
        assertThat(execution).isEqualTo(new Execution.Executed<>("written"));
        assertThat(execution.wasExecuted()).isTrue();
        LockHandle other = engine.acquireAsync(LockRequest.of("report")).join();
        Execution<String> skipped = locks.tryExecute("report", () -> "written");
        assertThat(skipped.wasExecuted()).isFalse();
        assertThat(skipped.orElseGet(() -> "busy")).isEqualTo("busy");
        other.release();
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void distinguishesANullResultFromASkippedAction() {
        Execution<@Nullable String> execution = locks.tryExecute("report", () -> null);
        assertThat(execution.wasExecuted()).isTrue();
        assertThat(execution.orElseGet(() -> "busy")).isNull();
    }

    @Test
    void runsATaskAndReleases() {
        AtomicLong runs = new AtomicLong();
        assertThat(locks.tryExecute("report", () -> {
                            runs.incrementAndGet();
                        })
                        .wasExecuted())
                .isTrue();
        assertThat(runs).hasValue(1);
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void rethrowsTheContentionOfAnInnerLock() {
        LockHandle other = engine.acquireAsync(LockRequest.of("inner")).join();
        LockRequest inner = LockRequest.of("inner").withoutWaiting();
        assertThatThrownBy(() -> locks.tryExecute("outer", () -> locks.execute(inner, () -> "never")))
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("'inner'");
        other.release();
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void tryExecuteThrowsAfterALoss() {
        assertThatThrownBy(() -> locks.tryExecute(BRIEF, this::outliveTheLease)).isInstanceOf(LockLostException.class);
    }

    @Test
    void knowsWhichLocksTheThreadOwns() {
        LockHandle ofThread = locks.acquire("mine");
        LockHandle ofHandle = locks.acquire(LockRequest.of("handed").ownedByHandle());
        CompletableFuture.runAsync(() -> assertThat(locks.heldLocks().isOwnedByThisThread("mine"))
                        .isFalse())
                .join();
        assertThat(locks.heldLocks().isOwnedByThisThread("mine")).isTrue();
        assertThat(locks.heldLocks().isOwnedByThisThread("handed")).isFalse();
        ofThread.release();
        ofHandle.release();
        assertThat(locks.heldLocks().isOwnedByThisThread("mine")).isFalse();
    }
}

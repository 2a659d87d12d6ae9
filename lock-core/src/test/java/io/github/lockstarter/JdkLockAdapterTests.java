package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.SettableClock;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The view satisfies the contract of {@link Lock}. */
@SuppressWarnings("LockNotBeforeTry") // locking and unlocking in unusual orders is under test
class JdkLockAdapterTests {

    /** A caller parks with or without the end of its wait. */
    private static final Set<Thread.State> WAITING = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    private static final String KEY = "order:42";

    private final SettableClock clock = new SettableClock();
    private final LockEngine engine =
            new LockEngine(new LocalLockBackend(clock::nanos), EngineSettings.DEFAULTS, List.of(), clock.environment());
    private final LockTemplate locks = new LockTemplate(engine);
    private final Lock lock = locks.asLock(KEY);

    @BeforeEach
    void loadTheClassesOfAnAcquisition() {
        WarmUp.connect(locks, "warm-up");
    }

    @AfterEach
    void stop() {
        Thread.interrupted();
        engine.close();
    }

    @Test
    void excludesOtherThreadsAndOtherWaysToTheSameKey() throws Exception {
        lock.lock();
        assertThat(elsewhere(() -> locks.asLock(KEY).tryLock())).isFalse();
        assertThat(elsewhere(() -> locks.tryAcquire(KEY).isPresent())).isFalse();
        lock.unlock();
        assertThat(elsewhere(() -> {
                    boolean locked = locks.asLock(KEY).tryLock();
                    locks.asLock(KEY).unlock();
                    return locked;
                }))
                .isTrue();
    }

    @Test
    void isReentrantAcrossAllViewsOfOneKey() throws Exception {
        lock.lock();
        locks.asLock(KEY).lock();
        lock.unlock();
        assertThat(elsewhere(() -> locks.asLock(KEY).tryLock())).isFalse();
        lock.unlock();
        assertThat(engine.heldLocks().size()).isZero();
    }

    @Test
    void refusesUnlockByAThreadThatDoesNotHoldTheLock() throws Exception {
        lock.lock();
        assertThat(elsewhere(() -> {
                    assertThatThrownBy(lock::unlock)
                            .isInstanceOf(IllegalMonitorStateException.class)
                            .hasMessageContaining("does not hold lock 'order:42'");
                    return true;
                }))
                .isTrue();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void lockKeepsWaitingWhenInterruptedAndRestoresTheFlag() throws Exception {
        lock.lock();
        AtomicBoolean flagged = new AtomicBoolean();
        Thread waiter = new Thread(() -> {
            Lock same = locks.asLock(KEY);
            same.lock();
            flagged.set(Thread.currentThread().isInterrupted());
            same.unlock();
        });
        waiter.start();
        awaitWaiting(waiter);
        waiter.interrupt();
        awaitWaiting(waiter);
        assertThat(waiter.isAlive()).isTrue();
        lock.unlock();
        waiter.join(Patience.TIME.toMillis());
        assertThat(flagged).isTrue();
    }

    @Test
    void lockInterruptiblyThrowsAndClearsTheFlag() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        lock.lock();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                locks.asLock(KEY).lockInterruptibly();
                thrown.complete(new AssertionError("locked"));
            } catch (InterruptedException e) {
                thrown.complete(Thread.currentThread().isInterrupted() ? new AssertionError("flag set") : e);
            }
        });
        waiter.start();
        awaitWaiting(waiter);
        waiter.interrupt();
        assertThat(thrown.get(Patience.SECONDS, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        lock.unlock();
    }

    @Test
    void tryLockWithoutATimeIgnoresAnInterruptAndKeepsTheFlag() {
        Thread.currentThread().interrupt();
        assertThat(lock.tryLock()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        lock.unlock();
    }

    @Test
    void timedTryLockThrowsWhenAlreadyInterruptedEvenIfTheLockIsFree() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void timedTryLockReturnsFalseWhenItsTimeIsOver() throws Exception {
        lock.lock();
        long start = System.nanoTime();
        assertThat(elsewhere(() -> locks.asLock(KEY).tryLock(30, TimeUnit.MILLISECONDS)))
                .isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(30), Patience.TIME);
        assertThat(elsewhere(() -> locks.asLock(KEY).tryLock(-5, TimeUnit.SECONDS)))
                .isFalse();
        lock.unlock();
    }

    @Test
    void anEndlessTimeoutDoesNotOverflow() throws Exception {
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
        lock.unlock();
    }

    @Test
    void newConditionIsUnsupported() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void unlockThrowsAfterALoss() {
        Lock brief = locks.asLock(LockRequest.of("brief").withoutRenewal());
        brief.lock();
        clock.letPass(EngineSettings.DEFAULTS.lease());
        await().until(() -> engine.heldLocks().size() == 0);
        assertThatThrownBy(brief::unlock)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("Lost lock 'brief'");
    }

    @Test
    void refusesToLockAgainUntilTheThreadHasUnlockedTheLostHold() throws Exception {
        Lock brief = locks.asLock(LockRequest.of("brief").withoutRenewal());
        brief.lock();
        clock.letPass(EngineSettings.DEFAULTS.lease());
        await().until(() -> engine.heldLocks().size() == 0);
        assertThatThrownBy(() -> locks.acquire("brief")).isInstanceOf(LockLostException.class);

        assertThatThrownBy(brief::lock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(brief::tryLock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> brief.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(LockLostException.class);
        assertThat(elsewhere(() -> locks.asLock("brief").tryLock())).isTrue();
        assertThatThrownBy(brief::unlock).isInstanceOf(LockLostException.class);
        assertThat(brief.tryLock()).isFalse();
    }

    private interface Check {
        boolean run() throws InterruptedException;
    }

    private static boolean elsewhere(Check check) throws Exception {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        result.complete(check.run());
                    } catch (InterruptedException | RuntimeException | AssertionError e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        return result.get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private static void awaitWaiting(Thread thread) {
        await().until(() -> WAITING.contains(thread.getState()));
    }
}

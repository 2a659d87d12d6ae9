package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.Effort;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The two views against {@link ReentrantReadWriteLock}, wherever both promise the same. They differ by intent where a
 * thread that only reads asks to write, which the JDK refuses or lets wait forever, and after a thread that writes and
 * reads has ended to write.
 */
@SuppressWarnings("LockNotBeforeTry") // locking and unlocking in unusual orders is under test
class JdkReadWriteLockTests {

    private static final String KEY = "catalog:7";
    private static final int STEPS = 40;

    private final LocalLockBackend store = new LocalLockBackend();
    private final List<LockEngine> engines = List.of(engine(), engine());
    private final List<ExecutorService> threads =
            List.of(Executors.newSingleThreadExecutor(), Executors.newSingleThreadExecutor());

    private LockEngine engine() {
        return new LockEngine(store, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);
    }

    @AfterEach
    void stop() {
        threads.forEach(ExecutorService::shutdownNow);
        engines.forEach(LockEngine::close);
        store.close();
    }

    private ReadWriteLock view(int instance) {
        return new LockTemplate(engines.get(instance)).asReadWriteLock(KEY);
    }

    private <T> T on(int thread, Callable<T> call) throws Exception {
        return threads.get(thread).submit(call).get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    /** Holds of one thread. */
    private static final class Holds {
        int reads;
        int writes;
    }

    /** One thread, or two of one instance or of two. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "00", "01"})
    void behavesLikeThatOfTheJdk(String instances) throws Exception {
        for (int sequence = 0; sequence < Effort.of(50, 1_000); sequence++) {
            long seed = System.nanoTime();
            Random random = new Random(seed);
            ReadWriteLock model = new ReentrantReadWriteLock();
            List<ReadWriteLock> views =
                    instances.chars().mapToObj(digit -> view(digit - '0')).toList();
            List<Holds> holds = instances.chars().mapToObj(any -> new Holds()).toList();
            List<String> steps = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                int thread = random.nextInt(views.size());
                step(random, thread, model, views.get(thread), holds.get(thread), steps, seed);
            }
            for (int thread = 0; thread < views.size(); thread++) {
                leave(thread, model, holds.get(thread));
                leave(thread, views.get(thread), holds.get(thread));
            }
            assertThat(engines).allMatch(engine -> engine.heldLocks().size() == 0);
        }
    }

    private void step(
            Random random,
            int thread,
            ReadWriteLock model,
            ReadWriteLock view,
            Holds holds,
            List<String> steps,
            long seed)
            throws Exception {
        boolean writes = random.nextBoolean();
        boolean locks = random.nextInt(5) < 3;
        if (!locks && writes && holds.writes == 1 && holds.reads > 0) {
            return; // the JDK lets others read from now on
        }
        steps.add(thread + (locks ? " tries to " : " ends to ") + (writes ? "write" : "read"));
        boolean done = on(thread, () -> isDone(writes ? model.writeLock() : model.readLock(), locks));
        boolean afterReader = done && writes && locks; // of another instance, whose hold outlasts it
        assertThat(on(
                        thread,
                        () -> isDone(writes ? view.writeLock() : view.readLock(), locks)
                                || (afterReader && view.writeLock().tryLock(Patience.SECONDS, TimeUnit.SECONDS))))
                .as("seed %s: %s", seed, steps)
                .isEqualTo(done);
        int change = !done ? 0 : locks ? 1 : -1;
        holds.writes += writes ? change : 0;
        holds.reads += writes ? 0 : change;
    }

    private static boolean isDone(Lock lock, boolean locks) {
        return locks ? isLocked(lock) : isUnlocked(lock);
    }

    private static boolean isLocked(Lock lock) {
        try {
            return lock.tryLock();
        } catch (IllegalStateException readsOnly) {
            return false;
        }
    }

    private static boolean isUnlocked(Lock lock) {
        try {
            lock.unlock();
            return true;
        } catch (IllegalMonitorStateException notLocked) {
            return false;
        }
    }

    private void leave(int thread, ReadWriteLock lock, Holds holds) throws Exception {
        on(thread, () -> {
            for (int i = 0; i < holds.writes; i++) {
                lock.writeLock().unlock();
            }
            for (int i = 0; i < holds.reads; i++) {
                lock.readLock().unlock();
            }
            return null;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void readersAndWritersWaitForEachOther(int instance) throws Exception {
        ReadWriteLock own = view(0);
        on(0, () -> {
            own.readLock().lock();
            return null;
        });
        Future<Boolean> writing = threads.get(1).submit(() -> {
            view(instance).writeLock().lockInterruptibly();
            return true;
        });
        await().until(() -> engines.get(instance).admin().waiters().size() == 1);
        assertThat(on(0, () -> own.readLock().tryLock())).as("enters again").isTrue();
        on(0, () -> {
            own.readLock().unlock();
            own.readLock().unlock();
            return null;
        });
        assertThat(writing.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

        Future<Boolean> reading = threads.get(0).submit(() -> own.readLock().tryLock(1, TimeUnit.HOURS));
        await().until(() -> engines.get(0).admin().waiters().size() == 1);
        on(1, () -> {
            view(instance).writeLock().unlock();
            return null;
        });
        assertThat(reading.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aThreadThatOnlyReadsIsToldWhyItCannotWrite() {
        ReadWriteLock lock = view(0);
        lock.readLock().lock();

        assertThatThrownBy(() -> lock.writeLock().tryLock())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Release the lock that is read first");

        lock.readLock().unlock();
        assertThat(lock.writeLock().tryLock()).isTrue();
        lock.writeLock().unlock();
    }

    @Test
    void aThreadExcludesOthersUntilItEndsToReadWhatItWrote() throws Exception {
        ReadWriteLock lock = view(0);
        lock.writeLock().lock();
        lock.readLock().lock();
        lock.writeLock().unlock();
        assertThat(on(0, () -> view(0).readLock().tryLock())).isFalse();

        lock.readLock().unlock();

        assertThat(on(0, () -> view(0).readLock().tryLock())).isTrue();
    }

    @Test
    void isTheOrdinaryLockToWriters() {
        LockTemplate locks = new LockTemplate(engines.get(0));
        view(0).writeLock().lock();
        locks.asLock(KEY).unlock();

        assertThat(locks.asReadWriteLock(LockRequest.of(KEY).mode(LockMode.READ))
                        .writeLock()
                        .tryLock())
                .isTrue();
        locks.asLock(KEY).unlock();
        assertThatThrownBy(() -> locks.asReadWriteLock(LockRequest.of(KEY).permits(2)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> view(0).readLock().newCondition()).isInstanceOf(UnsupportedOperationException.class);
    }
}

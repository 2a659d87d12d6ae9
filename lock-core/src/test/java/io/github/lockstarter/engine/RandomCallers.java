package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.UnreliableStore.Planted;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Threads of three engines over an {@link UnreliableStore} that acquire and release a few locks in every way, and are
 * interrupted. Checks that no two hold a slot at a time, or one that writes and one that reads, that the fencing tokens
 * of a slot grow, that a caller is told of another owner only if there was one during its call, and that interrupts and
 * losses are told as such.
 */
final class RandomCallers implements AutoCloseable {

    private static final int ENGINES = 3;
    private static final List<String> KEYS = List.of("a", "b", "c");

    /** Of several permits. */
    private static final String SHARED = "shared";

    private static final List<Duration> WAITS =
            Stream.of(0, 0, 1, 5, 20, 200).map(Duration::ofMillis).toList();

    /** No lease ends during the test, and a waiter whose signal is lost looks again soon. */
    private static final EngineSettings SETTINGS = settings(Duration.ofMinutes(30), Duration.ofMillis(50));

    final List<String> violations = new CopyOnWriteArrayList<>();
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger grants = new AtomicInteger();

    private final long seed;
    private final UnreliableStore store;
    private final List<LockEngine> engines = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, LockHandle> holders = new ConcurrentHashMap<>();
    private final Map<String, Long> fencingTokens = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> readers = new ConcurrentHashMap<>();

    RandomCallers(long seed, Planted planted) {
        this.seed = seed;
        this.store = new UnreliableStore(seed, planted);
        for (int i = 0; i < ENGINES; i++) {
            engines.add(new LockEngine(store.connect(), SETTINGS, List.of(), EngineClock.SYSTEM));
        }
    }

    private static EngineSettings settings(Duration lease, Duration maxRetryDelay) {
        EngineSettings defaults = EngineSettings.DEFAULTS;
        return new EngineSettings(
                LockTerms.NONE.lease(lease),
                lease,
                maxRetryDelay,
                defaults.handover(),
                defaults.shownPlace(),
                defaults.warnAfter(),
                Map.of());
    }

    void start(ThreadFactory factory, int number, int callsEach) {
        for (int i = 0; i < number; i++) {
            Caller caller = new Caller(engines.get(i % ENGINES), new Random(seed + i));
            threads.add(factory.newThread(() -> caller.call(callsEach)));
        }
        threads.forEach(Thread::start);
    }

    boolean isDone() {
        return threads.stream().noneMatch(Thread::isAlive);
    }

    void interrupt(Random random) {
        threads.get(random.nextInt(threads.size())).interrupt();
    }

    /** What is left behind once all callers have returned, and late commands are executed. */
    List<String> remains() {
        List<String> left = new ArrayList<>();
        for (LockEngine engine : engines) {
            LockAdmin admin = engine.admin();
            admin.heldLocks().snapshot().forEach(held -> left.add("held: " + held));
            admin.waiters().forEach(waiter -> left.add("waits: " + waiter));
        }
        store.taken().forEach(slot -> left.add("in the store: " + slot));
        return left;
    }

    @Override
    public void close() {
        engines.forEach(LockEngine::stop);
        store.close();
    }

    private void violation(String what) {
        violations.add(Thread.currentThread().getName() + ": " + what);
    }

    private final class Caller {

        private final LockEngine engine;
        private final Random random;

        Caller(LockEngine engine, Random random) {
            this.engine = engine;
            this.random = random;
        }

        void call(int times) {
            try {
                for (int i = 0; i < times && violations.isEmpty(); i++) {
                    Thread.interrupted(); // one of the previous call
                    acquire(request());
                    calls.incrementAndGet();
                }
            } catch (RuntimeException | Error e) {
                violation("unexpected " + e);
            }
        }

        private boolean isLuck(int percent) {
            return random.nextInt(100) < percent;
        }

        private LockRequest request() {
            LockRequest request = isLuck(20)
                    ? LockRequest.ofAll(KEYS.subList(random.nextInt(2), 3))
                    : isLuck(40)
                            ? LockRequest.of(SHARED).permits(1 + random.nextInt(UnreliableStore.MOST_PERMITS))
                            : LockRequest.of(KEYS.get(random.nextInt(3)));
            if (request.terms().permits().isEmpty() && isLuck(50)) {
                request = request.mode(LockMode.READ);
            } else if (isLuck(10)) {
                request = request.minHold(Duration.ofMillis(1 + random.nextInt(3)));
            }
            request = isLuck(20) ? request.lease(Duration.ofMinutes(20)) : request;
            return request.maxWait(WAITS.get(random.nextInt(WAITS.size())));
        }

        private void acquire(LockRequest request) {
            long since = System.nanoTime();
            try {
                Optional<LockHandle> acquired =
                        switch (random.nextInt(3)) {
                            case 0 -> Optional.of(engine.acquire(request));
                            case 1 -> engine.tryAcquire(request);
                            default -> acquireAsync(request);
                        };
                if (acquired.isPresent()) {
                    hold(acquired.get(), request);
                } else {
                    checkBusy(request, since);
                }
            } catch (LockNotAcquiredException e) {
                checkBusy(request, since);
            } catch (LockInterruptedException e) {
                check(Thread.currentThread().isInterrupted(), "an interrupt without the flag");
            } catch (LockBackendException | CancellationException e) {
                // An answer was lost, or this caller has cancelled.
            }
        }

        /** An asynchronous caller that gives up may get the lock nevertheless. */
        private Optional<LockHandle> acquireAsync(LockRequest request) {
            CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request);
            if (isLuck(30)) {
                work();
                acquiring.cancel(false);
            }
            try {
                return Optional.of(BlockingWait.awaitUninterruptibly(acquiring));
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : e;
            }
        }

        private void check(boolean kept, String what) {
            if (!kept) {
                violation(what);
            }
        }

        private void checkBusy(LockRequest request, long since) {
            int permits = request.terms().permits().orElse(1);
            check(
                    request.keys().stream().anyMatch(key -> store.wasTaken(key, permits, since)),
                    "refused though free during the whole call: " + request);
        }

        private void hold(LockHandle handle, LockRequest request) {
            grants.incrementAndGet();
            boolean reads = request.terms().reads();
            enter(handle, reads);
            boolean revoked = false;
            try {
                work();
                if (isLuck(20)) {
                    nest(handle, reads ? request : request.minHold(Duration.ofMillis(1)));
                } else if (!reads
                        && KEYS.contains(handle.key())
                        && request.terms().minHold().isEmpty()
                        && isLuck(20)) {
                    reads = downgrade(handle);
                }
                if (isLuck(10)) {
                    extend(handle, request);
                }
                check(handle.isHeld(), "lost " + handle);
                revoked = !reads && handle.keys().size() == 1 && isLuck(5);
            } finally {
                exit(handle, reads);
                if (revoked) {
                    BlockingWait.awaitUninterruptibly(engine.admin().revoke(handle.key(), handle.fencingToken()));
                    check(!handle.isHeld(), "held after its revocation: " + handle);
                }
                release(handle, revoked);
            }
        }

        private void nest(LockHandle handle, LockRequest request) {
            try {
                handle.reenter(request).ifPresent(nested -> {
                    work();
                    check(nested.release() == ReleaseOutcome.STILL_HELD, "the end of a nested entry: " + nested);
                });
            } catch (LockLostException e) {
                violation("lost " + handle);
            }
        }

        private void extend(LockHandle handle, LockRequest request) {
            try {
                handle.extend(request);
            } catch (LockInterruptedException | LockBackendException e) {
                // An answer was lost, or did not come before the interrupt.
            }
        }

        private void work() {
            LockSupport.parkNanos(random.nextInt(500_000));
        }

        private void release(LockHandle handle, boolean revoked) {
            ReleaseOutcome outcome = isLuck(30)
                    ? BlockingWait.awaitUninterruptibly(
                            CompletableFuture.supplyAsync(handle::release, EngineInterleavings::onNewThread))
                    : handle.release();
            check(revoked == (outcome == ReleaseOutcome.LOST), "released as " + outcome + ": " + handle);
        }

        private void enter(LockHandle handle, boolean reads) {
            for (String key : handle.keys()) {
                if (reads) {
                    enterToRead(handle, key);
                    continue;
                }
                String slot = slot(handle, key);
                LockHandle other = holders.putIfAbsent(slot, handle);
                check(other == null, "two holders of " + slot + ": " + handle + " and " + other);
                check(readers(key).get() == 0, "two holders of " + slot + ": " + handle + " and readers");
                Long before = fencingTokens.put(slot, handle.fencingToken(key));
                check(
                        before == null || before < handle.fencingToken(key),
                        "a fencing token that does not grow: " + handle + " after " + before);
            }
        }

        private void enterToRead(LockHandle handle, String key) {
            readers(key).incrementAndGet();
            LockHandle writer = holders.get(key + "#0");
            check(
                    writer == null || writer == handle,
                    "two holders of " + key + ": reader " + handle + " and " + writer);
            check(
                    fencingTokens.getOrDefault(key + "#0", 0L) <= handle.fencingToken(key),
                    "a fencing token that does not grow: reader " + handle);
        }

        private AtomicInteger readers(String key) {
            return readers.computeIfAbsent(key, any -> new AtomicInteger());
        }

        /** From the call on, others may read, whatever the answer is. */
        private boolean downgrade(LockHandle handle) {
            enterToRead(handle, handle.key());
            exit(handle, false);
            try {
                handle.downgrade();
            } catch (LockInterruptedException | LockBackendException e) {
                // An answer was lost, or did not come before the interrupt.
            }
            return true;
        }

        private void exit(LockHandle handle, boolean reads) {
            if (reads) {
                handle.keys().forEach(key -> readers(key).decrementAndGet());
            } else {
                handle.keys().forEach(key -> holders.remove(slot(handle, key), handle));
            }
        }

        private static String slot(LockHandle handle, String key) {
            return key + '#' + (handle.keys().size() == 1 ? handle.slot() : 0);
        }
    }
}

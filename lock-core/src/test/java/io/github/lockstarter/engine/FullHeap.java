package io.github.lockstarter.engine;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Program of {@link FullHeapTests}: threads lock keys with two engines of one store while the heap is full for moments.
 * Then, with free memory, each thread must end and each key must be free at the end of a lease.
 */
final class FullHeap {

    private static final int KEYS = 8;
    private static final int KINDS = 6;
    private static final int THREADS = 16;
    private static final int MOMENTS = 10;
    /** Longer than the engine waits for an answer. */
    private static final Duration PATIENCE = StoreCalls.LAST_DEADLINE.plusSeconds(30);

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int BLOCK = 64 * 1024;

    private final LocalLockBackend store = new LocalLockBackend(System::nanoTime);
    private final List<LockEngine> engines = List.of(newEngine(), newEngine());
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean over;

    private LockEngine newEngine() {
        return new LockEngine(store, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);
    }

    public static void main(String[] arguments) throws Exception {
        FullHeap heap = new FullHeap();
        boolean usable = heap.run();
        System.out.println(heap.failures.get() + " failed allocations");
        System.out.println(usable ? "USABLE" : "BROKEN");
        Runtime.getRuntime().halt(0);
    }

    private boolean run() throws InterruptedException {
        for (int kind = 0; kind < KINDS; kind++) {
            lock(engines.get(0), kind, request(0).lease(EngineSettings.DEFAULTS.lease())); // loads classes
        }
        try (LockHandle held = engines.get(0).acquire(request(0).lease(EngineSettings.DEFAULTS.lease()))) {
            lock(engines.get(1), 0, request(0).lease(held.remainingLease())); // and those of a failure
        } catch (LockNotAcquiredException busy) {
            // as intended
        }
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < THREADS; number++) {
            Random random = new Random(number);
            LockEngine engine = engines.get(number % 2);
            threads.add(new Thread(() -> lockUntilOver(engine, random), "locking-" + number));
        }
        threads.forEach(Thread::start);
        for (int moment = 0; moment < MOMENTS; moment++) {
            fill();
            TimeUnit.MILLISECONDS.sleep(30);
        }
        over = true;
        boolean usable = true;
        for (Thread thread : threads) {
            thread.join(PATIENCE.toMillis());
            if (thread.isAlive()) {
                System.out.println(thread.getName() + " hangs: " + List.of(thread.getStackTrace()));
                usable = false;
            }
        }
        for (int key = 0; key < KEYS; key++) {
            for (LockEngine engine : engines) {
                usable &= isFree(engine, request(key));
            }
        }
        return usable;
    }

    private static boolean isFree(LockEngine engine, LockRequest request) throws InterruptedException {
        CompletableFuture<Void> released = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            engine.acquire(request.maxWait(PATIENCE).lease(EngineSettings.DEFAULTS.lease()))
                    .release();
            released.complete(null);
        });
        caller.start();
        caller.join(2 * PATIENCE.toMillis());
        if (!released.isDone()) {
            System.out.println(
                    request.keys() + " is not free, and the caller's stack is " + List.of(caller.getStackTrace()));
        }
        return released.isDone();
    }

    /** Until nothing can be allocated, for a moment. */
    private static void fill() throws InterruptedException {
        List<byte[]> blocks = new ArrayList<>(10_000);
        try {
            for (int size = BLOCK; size >= 16; size /= 4) {
                fill(blocks, size);
            }
        } finally {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static void fill(List<byte[]> blocks, int size) {
        try {
            while (blocks.size() < 9_999) {
                blocks.add(new byte[size]);
            }
        } catch (OutOfMemoryError full) {
            // as intended
        }
    }

    private void lockUntilOver(LockEngine engine, Random random) {
        while (!over) {
            try {
                lock(engine, random.nextInt(KINDS), request(random.nextInt(KEYS)));
            } catch (OutOfMemoryError e) {
                failures.incrementAndGet();
            } catch (RuntimeException e) {
                // not acquired, lost, or the key failed
            }
        }
    }

    private static LockRequest request(int key) {
        return LockRequest.of("key:" + key).lease(LEASE).maxWait(Duration.ofMillis(200));
    }

    private static void lock(LockEngine engine, int kind, LockRequest one) {
        LockTemplate locks = new LockTemplate(engine);
        switch (kind) {
            case 0 -> locks.execute(one, () -> locks.execute(one, FullHeap::allocate));
            case 1 -> locks.tryExecute(one.withoutWaiting(), FullHeap::allocate);
            case 2 ->
                locks.execute(
                        LockRequest.ofAll(List.of(one.keys().get(0), "another")).lease(LEASE), FullHeap::allocate);
            case 3 -> {
                try (LockHandle held = engine.acquire(one)) {
                    held.reenter(one).ifPresent(LockHandle::close);
                }
            }
            case 4 -> locks.execute(one.mode(LockMode.READ), FullHeap::allocate);
            default -> closed(engine.acquireAsync(one));
        }
    }

    /** Until the handle is closed, since nobody else has it. */
    private static void closed(CompletableFuture<LockHandle> acquiring) {
        boolean closed = false;
        while (!closed) {
            try {
                acquiring.join().close();
                closed = true;
            } catch (OutOfMemoryError full) {
                Thread.onSpinWait();
            }
        }
    }

    private static int allocate() {
        return new byte[1000].length;
    }
}

package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stack overflow at any point of acquire or release leaves no lock held. */
@Timeout(180)
public abstract class StackOverflowContract extends EngineContract {

    private static final int THREADS = 24;

    /** For recursions that acquire hundreds of locks. */
    private static final int FEW_THREADS = 6;

    private static final int AT_A_TIME = 6;
    private static final long STACK_BYTES = 256 * 1024;

    /**
     * Renewed for as long as the lock is held. A lock of which no mark is left is released at the second renewal, at
     * two thirds of the lease.
     */
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** A recursion takes some hundred keys, and each of them a few writes to the disk of the store. */
    private static final Duration RETURNED = Duration.ofMinutes(1);

    /** Marks are seen within a tick of the timer, long before the second renewal. */
    private static final Duration MARKED = LEASE.dividedBy(4);

    /** How many locks may stay unmarked because the overflow is in the JVM itself. */
    private static final int MOST_UNMARKED = THREADS / 6;

    private final AtomicInteger overflows = new AtomicInteger();

    public StackOverflowContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void anOverflowingRecursionLeavesNoLockHeld() throws Exception {
        onThreads(THREADS, number -> recurse(request(number)));

        assertNothingIsHeld();
    }

    @Test
    void anOverflowingRecursionWithAKeyPerLevelLeavesNoLockHeld() throws Exception {
        onThreads(FEW_THREADS, number -> recurse(number, 0));

        assertNothingIsHeld();
    }

    @Test
    void aLockedMethodCalledAtTheEndOfTheStackLeavesNoLockHeld() throws Exception {
        onThreads(THREADS, number -> descend(request(number), Integer.MAX_VALUE, new AtomicBoolean()));

        assertNothingIsHeld();
    }

    private LockRequest request(int number) {
        return LockRequest.of(key + ':' + number).leasedFor(LEASE);
    }

    private int recurse(LockRequest one) {
        return 1 + first.locks().execute(one, () -> recurse(one));
    }

    private int recurse(int number, int depth) {
        LockRequest one = LockRequest.of(key + ':' + number + ':' + depth).leasedFor(LEASE);
        return 1 + first.locks().execute(one, () -> recurse(number, depth + 1));
    }

    /** Each returning level tries to lock with a little more stack, until one succeeds. */
    private int descend(LockRequest one, int levels, AtomicBoolean done) {
        if (levels == 0) {
            return 0;
        }
        try {
            return 1 + descend(one, levels - 1, done);
        } finally {
            if (!done.get()) {
                tryToLock(one, done);
            }
        }
    }

    private void tryToLock(LockRequest one, AtomicBoolean done) {
        try {
            first.locks().execute(one, () -> done.set(true));
        } catch (VirtualMachineError e) {
            // The next level has more stack.
        }
    }

    private interface Work {
        void of(int number);
    }

    private void onThreads(int count, Work work) throws InterruptedException {
        first.locks().execute(request, () -> {}); // loads classes
        for (int next = 0; next < count; next += AT_A_TIME) {
            List<Thread> threads = new ArrayList<>();
            for (int number = next; number < next + AT_A_TIME; number++) {
                threads.add(start(work, number));
            }
            for (Thread thread : threads) {
                thread.join(RETURNED.toMillis());
                assertThat(thread.isAlive())
                        .as(() -> "still there:\n" + stackOf(thread))
                        .isFalse();
            }
        }
        assertThat(overflows).hasValue(count);
    }

    private Thread start(Work work, int number) {
        Thread thread = new Thread(null, () -> overflow(work, number, number), "overflow-" + number, STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Different depths, so that the stacks end at different places. */
    private void overflow(Work work, int number, int frames) {
        if (frames > 0) {
            overflow(work, number, frames - 1);
            return;
        }
        try {
            work.of(number);
        } catch (
                VirtualMachineError
                        e) { // where the JVM itself is at the end of its stack, another one than an overflow
            overflows.incrementAndGet();
        }
    }

    private static String stackOf(Thread thread) {
        return String.join(
                "\n",
                Arrays.stream(thread.getStackTrace())
                        .limit(60)
                        .map(String::valueOf)
                        .toList());
    }

    private void assertNothingIsHeld() {
        await().atMost(MARKED)
                .untilAsserted(() -> assertThat(first.locks().heldLocks().snapshot())
                        .extracting(HeldLock::key)
                        .as("held without a mark by threads that have ended")
                        .hasSizeLessThanOrEqualTo(MOST_UNMARKED));
        await().atMost(LEASE).untilAsserted(() -> {
            System.gc(); // the watchdog notices an unreachable handle only after a collection
            assertThat(first.locks().heldLocks().snapshot())
                    .extracting(HeldLock::key)
                    .as("held by threads that have ended")
                    .isEmpty();
        });
        for (int number = 0; number < THREADS; number++) {
            try (LockHandle free = second.locks().acquire(request(number).withoutWaiting())) {
                assertThat(free.isHeld()).isTrue();
            }
        }
        assertThat(first.backend().count(Verb.RELEASE)).isPositive();
    }
}

package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
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

    /** A lock whose release fails ends with it at the latest. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    /** A recursion takes some hundred keys, and each of them a few writes to the disk of the store. */
    private static final Duration RETURNED = Duration.ofMinutes(1);

    /** The threads live on until then. */
    private final CountDownLatch end = new CountDownLatch(1);

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

    @Test
    @Tag(Effort.FULL)
    void anOverflowingRecursionWithSeveralKeysLeavesNoLockHeld() throws Exception {
        onThreads(THREADS, number -> recurse(several(number)));

        assertNothingIsHeld();
    }

    @Test
    void anOverflowingRecursionThatEntersByItsHandleLeavesNoLockHeld() throws Exception {
        onThreads(THREADS, number -> {
            try (LockHandle held = first.locks().acquire(request(number))) {
                enterAgain(held, request(number));
            }
        });

        assertNothingIsHeld();
    }

    @Test
    @Tag(Effort.FULL)
    void anOverflowingRecursionOfAsynchronousActionsLeavesNoLockHeld() throws Exception {
        onThreads(FEW_THREADS, number -> recurseAsync(request(number)));

        assertNothingIsHeld();
    }

    @SuppressWarnings("InfiniteRecursion") // until the stack is full
    private int enterAgain(LockHandle held, LockRequest one) {
        try (LockHandle nested = held.reenter(one).orElseThrow()) {
            return 1 + enterAgain(nested, one);
        }
    }

    /** The action of the first call runs on a thread of the engine, so this thread re-enters in the context of it. */
    private void recurseAsync(LockRequest one) {
        try (LockHandle held = first.locks().acquireAsync(one).join()) {
            LockContext.NONE.with(held).call(() -> callAsync(one));
        }
    }

    private CompletableFuture<Integer> callAsync(LockRequest one) {
        return first.locks().executeAsync(one, () -> callAsync(one));
    }

    private LockRequest several(int number) {
        return LockRequest.ofAll(List.of(key + ':' + number, key + ':' + number + ":b"))
                .lease(LEASE);
    }

    private LockRequest request(int number) {
        return LockRequest.of(key + ':' + number).lease(LEASE);
    }

    private int recurse(LockRequest one) {
        return 1 + first.locks().execute(one, () -> recurse(one));
    }

    private int recurse(int number, int depth) {
        LockRequest one = LockRequest.of(key + ':' + number + ':' + depth).lease(LEASE);
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
            CountDownLatch returned = new CountDownLatch(AT_A_TIME);
            List<Thread> threads = new ArrayList<>();
            for (int number = next; number < next + AT_A_TIME; number++) {
                threads.add(start(work, number, returned));
            }
            assertThat(returned.await(RETURNED.toSeconds(), TimeUnit.SECONDS))
                    .as(() -> "returned:\n"
                            + threads.stream()
                                    .map(StackOverflowContract::stackOf)
                                    .toList())
                    .isTrue();
        }
    }

    private Thread start(Work work, int number, CountDownLatch returned) {
        Thread thread = new Thread(
                null,
                () -> {
                    overflow(work, number, number);
                    returned.countDown();
                    awaitEnd();
                },
                "overflow-" + number,
                STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void endThreads() {
        end.countDown();
    }

    /** Different depths, so that the stacks end at different places. */
    private void overflow(Work work, int number, int frames) {
        if (frames > 0) {
            overflow(work, number, frames - 1);
            return;
        }
        try {
            work.of(number);
        } catch (VirtualMachineError overflow) {
            // Where the JVM itself is at the end of its stack, another one than an overflow.
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

    private void assertNothingIsHeld() throws Exception {
        boolean clockSettable = store.clock().isPresent();
        await().atMost(LEASE.plus(RETURNED)).untilAsserted(() -> {
            if (clockSettable) {
                letPassWithRenewals(Duration.ofSeconds(1));
            }
            assertThat(first.locks().heldLocks().size())
                    .as("locks held by threads that do nothing")
                    .isZero();
        });
        if (clockSettable) {
            letPass(LEASE);
        }
        for (int number = 0; number < THREADS; number++) {
            try (LockHandle free = second.locks().acquire(request(number).maxWait(RETURNED))) {
                assertThat(free.isHeld()).isTrue();
            }
        }
        assertThat(first.backend().count(Verb.RELEASE)).isPositive();
    }
}

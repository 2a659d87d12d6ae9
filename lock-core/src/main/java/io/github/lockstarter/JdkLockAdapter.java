package io.github.lockstarter;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * All views of one key and mode are the same lock: {@link #HOLDS} keeps the holds per thread, each entry until its last
 * hold ends.
 */
final class JdkLockAdapter implements Lock {

    private static final ThreadLocal<Map<LockIdentity, Deque<LockHandle>>> HOLDS =
            ThreadLocal.withInitial(() -> new HashMap<>(2));

    private final LockSource source;
    private final LockRequest request;
    private final LockIdentity subject;

    JdkLockAdapter(LockSource source, LockRequest request) {
        if (request.terms().minHoldIf() == MinHoldIf.SUCCESS) {
            throw new IllegalArgumentException("minHoldIf of lock '"
                    + LockRequest.printable(String.join(", ", request.keys())) + "' is SUCCESS, of which a"
                    + " java.util.concurrent.locks.Lock is not told. Use execute, or acquire and recordSuccess");
        }
        this.source = source;
        this.request = request.minHoldIf(MinHoldIf.ALWAYS);
        this.subject = new LockIdentity(source, request.keys(), request.terms().reads());
    }

    @Override
    public void lock() {
        uninterruptibly(() -> {
            lockInterruptibly();
            return true;
        });
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        boolean held;
        do {
            held = tryLockFor(LockRequest.MAX_DURATION);
        } while (!held);
    }

    @Override
    public boolean tryLock() {
        return uninterruptibly(() -> tryLockFor(Duration.ZERO));
    }

    private static boolean uninterruptibly(LockedAction<Boolean, InterruptedException> step) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return step.run();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
        return tryLockFor(wait.compareTo(LockRequest.MAX_DURATION) > 0 ? LockRequest.MAX_DURATION : wait);
    }

    private boolean tryLockFor(Duration wait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        checkNotLost();
        try {
            Optional<LockHandle> handle = source.tryAcquire(request.maxWait(wait));
            return handle.map(this::push).isPresent();
        } catch (LockInterruptedException e) {
            Thread.interrupted(); // java.util.concurrent clears the flag when it throws
            throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
        }
    }

    /**
     * Refuses new holds until the thread has left a lost one: the source reports a loss once, perhaps to other code.
     */
    private void checkNotLost() {
        Deque<LockHandle> own = HOLDS.get().get(subject);
        if (own != null && own.getFirst().state() == HoldState.LOST) {
            own.getFirst().ensureHeld();
        }
    }

    private LockHandle push(LockHandle handle) {
        try {
            HOLDS.get().computeIfAbsent(subject, s -> new ArrayDeque<>(2)).addFirst(handle);
            return handle;
        } catch (RuntimeException | Error e) {
            handle.release();
            throw e;
        }
    }

    @Override
    public void unlock() {
        pop().close();
    }

    private LockHandle pop() {
        Deque<LockHandle> own = HOLDS.get().get(subject);
        if (own == null) {
            throw new IllegalMonitorStateException(
                    "Thread '" + Thread.currentThread().getName() + "' does not hold lock '"
                            + LockRequest.printable(String.join(", ", request.keys())) + "'");
        }
        LockHandle handle = own.removeFirst();
        if (own.isEmpty()) {
            HOLDS.get().remove(subject);
        }
        return handle;
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return "Lock" + request.keys();
    }

    private record LockIdentity(LockSource source, List<String> keys, boolean reads) {}
}

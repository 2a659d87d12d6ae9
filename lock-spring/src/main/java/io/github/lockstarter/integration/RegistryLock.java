package io.github.lockstarter.integration;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of a {@link DistributedLockRegistry}. All views of one key are the same lock: what a thread holds is kept per
 * thread in {@link #HELD}, not in the view. No thread sees another's holds, so there is nothing to guard; an entry is
 * removed when the thread leaves the lock, or learns by {@code tryLock} that it has lost it.
 */
final class RegistryLock implements DistributedLock {

    private static final ThreadLocal<Map<RegistryLock, ThreadHold>> HELD = ThreadLocal.withInitial(HashMap::new);

    private final LockOperations locks;
    private final LockRequest request;

    RegistryLock(LockOperations locks, LockRequest request) {
        this.locks = locks;
        this.request = request;
    }

    @Override
    public void lock() {
        lockUninterruptibly(request);
    }

    @Override
    public void lock(Duration ttl) {
        lockUninterruptibly(request.leasedFor(ttl));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        lock(request);
    }

    @Override
    public boolean tryLock() {
        return uninterruptibly(() -> tryLock(request.withoutWaiting()));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLockWithin(Duration.ofNanos(unit.toNanos(time)), request);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        return tryLockWithin(waitTime, request.leasedFor(ttl));
    }

    private boolean tryLockWithin(Duration wait, LockRequest terms) throws InterruptedException {
        Duration least = wait.isNegative() ? Duration.ZERO : wait;
        boolean tooLong = least.compareTo(LockRequest.MAX_DURATION) > 0;
        throwIfInterrupted();
        return tryLock(terms.waitingUpTo(tooLong ? LockRequest.MAX_DURATION : least));
    }

    private void lockUninterruptibly(LockRequest terms) {
        uninterruptibly(() -> {
            lock(terms);
            return true;
        });
    }

    private void lock(LockRequest terms) throws InterruptedException {
        throwIfInterrupted();
        ThreadHold hold = ofThread();
        if (hold != null) {
            interruptibly(hold::enter);
            return;
        }
        boolean acquired;
        do {
            acquired = acquire(terms.waitingUpTo(LockRequest.MAX_DURATION));
        } while (!acquired);
    }

    private boolean tryLock(LockRequest terms) throws InterruptedException {
        ThreadHold hold = ofThread();
        if (hold == null) {
            return acquire(terms);
        }
        boolean entered = interruptibly(hold::tryEnter);
        if (!entered) {
            // Not acquired in this call: its caller would take the new hold for the one that it lost.
            forget();
            hold.discard();
        }
        return entered;
    }

    private boolean acquire(LockRequest terms) throws InterruptedException {
        return interruptibly(() -> {
            Optional<LockHandle> handle = locks.tryAcquire(terms);
            handle.ifPresent(granted -> keep(new ThreadHold(granted)));
            return handle.isPresent();
        });
    }

    @Override
    public void unlock() {
        ThreadHold hold = ofThread();
        if (hold == null) {
            throw new IllegalMonitorStateException(notHeld());
        }
        try {
            if (hold.exit()) {
                forget();
                hold.release();
            } else {
                hold.throwIfLost();
            }
        } catch (LockLostException e) {
            throw lost(e);
        }
    }

    /** As the registries of Spring Integration report it. */
    private static ConcurrentModificationException lost(LockLostException loss) {
        return new ConcurrentModificationException(loss.getMessage(), loss);
    }

    /** Begins the lease anew. */
    void renew() {
        extend(request);
    }

    /** Makes the lease end no earlier than the given time from now. */
    void renew(Duration ttl) {
        extend(request.leasedFor(ttl));
    }

    private void extend(LockRequest terms) {
        ThreadHold hold = ofThread();
        if (hold == null) {
            throw new IllegalStateException(notHeld());
        }
        try {
            hold.handle().extend(terms);
        } catch (LockLostException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private String notHeld() {
        return "Thread '" + Thread.currentThread().getName() + "' does not hold " + this;
    }

    private @Nullable ThreadHold ofThread() {
        Map<RegistryLock, ThreadHold> all = HELD.get();
        ThreadHold hold = all.get(this);
        if (all.isEmpty()) {
            HELD.remove();
        }
        return hold;
    }

    private void keep(ThreadHold hold) {
        try {
            HELD.get().put(this, hold);
        } catch (RuntimeException | Error e) {
            hold.discard();
            throw e;
        }
    }

    private void forget() {
        Map<RegistryLock, ThreadHold> all = HELD.get();
        all.remove(this);
        if (all.isEmpty()) {
            HELD.remove();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RegistryLock lock
                && locks == lock.locks
                && request.keys().equals(lock.request.keys());
    }

    @Override
    public int hashCode() {
        return request.keys().hashCode();
    }

    @Override
    public String toString() {
        return "lock '" + LockRequest.printable(request.keys().get(0)) + "'";
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** The interrupt travels as the checked exception, as the JDK does it. */
    private static boolean interruptibly(Attempt attempt) throws InterruptedException {
        try {
            return attempt.call();
        } catch (LockInterruptedException e) {
            Thread.interrupted();
            throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
        } catch (LockLostException e) {
            throw lost(e);
        }
    }

    /** Repeats the attempt until it is not interrupted, and sets the flag again. */
    private static boolean uninterruptibly(Attempt attempt) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return attempt.call();
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

    /** One try to enter the lock. */
    private interface Attempt {

        boolean call() throws InterruptedException;
    }
}

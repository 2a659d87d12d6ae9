package io.github.lockstarter.integration;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.LockedTask;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;

/** Adapts {@link LockOperations#asLock}: reports losses like Spring Integration's registries. */
final class RegistryLock implements DistributedLock {

    private final LockOperations locks;
    private final LockRequest request;
    private final Lock lock;

    RegistryLock(LockOperations locks, LockRequest request) {
        this.locks = locks;
        this.request = request;
        this.lock = locks.asLock(request);
    }

    @Override
    public void lock() {
        reportingLoss(lock::lock);
    }

    @Override
    public void lock(Duration ttl) {
        LockRequest leaseRequest = request.lease(ttl);
        uninterruptibly(leaseRequest, () -> {
            locks.asLock(leaseRequest).lock();
            return true;
        });
    }

    private boolean uninterruptibly(LockRequest leaseRequest, LockedAction<Boolean, RuntimeException> step) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return confirmed(leaseRequest, step);
                } catch (LockInterruptedException e) {
                    interrupted = true;
                    Thread.interrupted(); // asks again, and waits for the answer
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static <X extends Throwable> void reportingLoss(LockedTask<X> step) throws X {
        try {
            step.run();
        } catch (LockLostException e) {
            throw reported(e);
        }
    }

    private static ConcurrentModificationException reported(LockLostException loss) {
        return new ConcurrentModificationException(loss.getMessage(), loss);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        reportingLoss(lock::lockInterruptibly);
    }

    @Override
    public boolean tryLock() {
        return uninterruptibly(request, lock::tryLock);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(unit.toNanos(time), request);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        boolean tooLong = waitTime.compareTo(LockRequest.MAX_DURATION) > 0;
        return tryLock((tooLong ? LockRequest.MAX_DURATION : waitTime).toNanos(), request.lease(ttl));
    }

    private boolean tryLock(long nanos, LockRequest leaseRequest) throws InterruptedException {
        try {
            return confirmed(leaseRequest, () -> locks.asLock(leaseRequest).tryLock(nanos, TimeUnit.NANOSECONDS));
        } catch (LockInterruptedException e) {
            Thread.interrupted(); // replaced by the checked exception
            throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
        }
    }

    /**
     * Asks the store about a lock that the thread re-enters, and extends it: a leader has no other way to detect a
     * loss. If that fails, undoes this entry, so that the earlier ones remain.
     */
    private <X extends Throwable> boolean confirmed(LockRequest leaseRequest, LockedAction<Boolean, X> step) throws X {
        try {
            boolean reenters = isOwned();
            boolean entered = step.run();
            if (entered && reenters) {
                confirm(leaseRequest);
            }
            return entered;
        } catch (LockLostException e) {
            throw reported(e);
        }
    }

    private void confirm(LockRequest leaseRequest) {
        try (LockHandle entry = enter()) {
            extendIfAnswered(entry, leaseRequest);
        } catch (RuntimeException e) {
            lock.unlock();
            throw e;
        }
    }

    /** An answer may be missing as long as no other owner can have the lock. */
    private static void extendIfAnswered(LockHandle entry, LockRequest leaseRequest) {
        try {
            entry.extend(leaseRequest);
        } catch (LockBackendException e) {
            if (!entry.isHeld()) {
                throw e;
            }
        }
    }

    @Override
    public void unlock() {
        reportingLoss(lock::unlock);
    }

    void renew(UnaryOperator<LockRequest> terms) {
        if (!isOwned()) {
            throw notHeld();
        }
        try (LockHandle entry = enter()) {
            entry.extend(terms.apply(request));
        } catch (LockLostException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private LockHandle enter() {
        return locks.tryAcquire(request.withoutWaiting()).orElseThrow(this::notHeld);
    }

    private boolean isOwned() {
        return locks.heldLocks().isOwnedByThisThread(request.keys().get(0));
    }

    private IllegalStateException notHeld() {
        return new IllegalStateException("Thread '" + Thread.currentThread().getName() + "' does not hold " + this);
    }

    @Override
    public Condition newCondition() {
        return lock.newCondition();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RegistryLock that
                && locks == that.locks
                && request.keys().equals(that.request.keys());
    }

    @Override
    public int hashCode() {
        return request.keys().hashCode();
    }

    @Override
    public String toString() {
        return "lock '" + LockRequest.printable(request.keys().get(0)) + "'";
    }
}

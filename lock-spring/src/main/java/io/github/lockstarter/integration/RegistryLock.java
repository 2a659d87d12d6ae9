package io.github.lockstarter.integration;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A lock of a {@link DistributedLockRegistry}: that of {@link LockOperations#asLock}, which reports a loss as the locks
 * of Spring Integration do.
 *
 * @param locks holds the lock
 * @param request its key and name
 */
record RegistryLock(LockOperations locks, LockRequest request) implements DistributedLock {

    @Override
    public void lock() {
        lock(request);
    }

    @Override
    public void lock(Duration ttl) {
        lock(request.leasedFor(ttl));
    }

    private void lock(LockRequest terms) {
        try {
            locks.asLock(terms).lock();
        } catch (LockLostException e) {
            throw lost(e);
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        try {
            locks.asLock(request).lockInterruptibly();
        } catch (LockLostException e) {
            throw lost(e);
        }
    }

    @Override
    public boolean tryLock() {
        try {
            return locks.asLock(request).tryLock();
        } catch (LockLostException e) {
            return leaveLostLock();
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLock(unit.toNanos(time), request);
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        boolean tooLong = waitTime.compareTo(LockRequest.MAX_DURATION) > 0;
        return tryLock((tooLong ? LockRequest.MAX_DURATION : waitTime).toNanos(), request.leasedFor(ttl));
    }

    private boolean tryLock(long nanos, LockRequest terms) throws InterruptedException {
        try {
            return locks.asLock(terms).tryLock(nanos, TimeUnit.NANOSECONDS);
        } catch (LockLostException e) {
            return leaveLostLock();
        }
    }

    /** Not acquired in this call: its caller would take the new hold for the one that it lost. */
    private boolean leaveLostLock() {
        while (true) {
            try {
                locks.asLock(request).unlock();
            } catch (LockLostException e) {
                // as known
            } catch (IllegalMonitorStateException e) {
                return false; // left as often as entered
            }
        }
    }

    @Override
    public void unlock() {
        try {
            locks.asLock(request).unlock();
        } catch (LockLostException e) {
            throw lost(e);
        }
    }

    /** As the registries of Spring Integration report it. */
    private static ConcurrentModificationException lost(LockLostException loss) {
        return new ConcurrentModificationException(loss.getMessage(), loss);
    }

    /** Makes the lease end no earlier than that of these terms would from now. */
    void renew(LockRequest terms) {
        try (LockHandle entry = locks.tryAcquire(request.withoutWaiting()).orElseThrow(this::notHeld)) {
            if (locks.heldLocks().find(key()).orElseThrow(this::notHeld).holdCount() == 1) {
                throw notHeld(); // it was free
            }
            entry.extend(terms);
        } catch (LockLostException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private IllegalStateException notHeld() {
        return new IllegalStateException("Thread '" + Thread.currentThread().getName() + "' does not hold " + this);
    }

    @Override
    public Condition newCondition() {
        return locks.asLock(request).newCondition();
    }

    @Override
    public String toString() {
        return "lock '" + LockRequest.printable(key()) + "'";
    }

    private String key() {
        return request.keys().get(0);
    }
}

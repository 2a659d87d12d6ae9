package io.github.lockstarter.integration;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Objects;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A lock registry of Spring Integration 7 whose locks are held through {@link LockOperations}. A lock is reentrant for
 * its thread, and renewed as {@code distributed-lock.*} says, also if it has a TTL of its own: that is its lease, up to
 * {@code distributed-lock.max-lease}. Thread-safe.
 *
 * <p>The lock {@code orders} of the registry {@value #DEFAULT_NAME} has the key {@code integration:orders}. The name of
 * the registry is that of its locks in meters and under {@code distributed-lock.locks}.
 *
 * <p>What becomes of a lock that is lost while a thread holds it:
 *
 * <ul>
 *   <li>{@code unlock} throws {@link java.util.ConcurrentModificationException}: another owner may have had the lock.
 *   <li>{@code lock} and {@code lockInterruptibly} of that thread throw it, too, until it has left the lock.
 *   <li>The next {@code tryLock} of that thread ends the hold, and returns false, even if {@code renewLock} reported
 *       the loss before; the one after it acquires the lock again. So a {@code LockRegistryLeaderInitiator} revokes
 *       the leadership, and does not go on over a gap. To detect a loss, {@code tryLock} of a thread that holds the
 *       lock asks the store, which costs one round trip; if the store does not answer, it returns true as long as no
 *       other owner can have the lock.
 * </ul>
 *
 * <p>{@code unlock} of a thread that does not hold the lock throws {@link IllegalMonitorStateException}. If the store
 * is unreachable, the locking methods throw {@link io.github.lockstarter.LockBackendException}, and never take that for
 * held by another owner. Conditions are not supported.
 */
public final class DistributedLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

    /** Name of a registry that is given none. */
    public static final String DEFAULT_NAME = "integration";

    private final LockOperations locks;
    private final String name;

    /**
     * A registry with the default name.
     *
     * @param locks holds the locks
     */
    public DistributedLockRegistry(LockOperations locks) {
        this(locks, DEFAULT_NAME);
    }

    /**
     * A registry. Those of the same name have the same locks.
     *
     * @param locks holds the locks
     * @param name what the keys begin with, before a colon, and the name of the locks
     */
    public DistributedLockRegistry(LockOperations locks, String name) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.name = Objects.requireNonNull(name, "name");
    }

    /**
     * The lock of a key. The locks of equal keys are equal, and are the same lock.
     *
     * @param lockKey a string: another object need not have the same text in another instance
     * @return a view, whose only state is what its threads hold
     * @throws IllegalArgumentException when the key is no string
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return lockOf(lockKey);
    }

    private RegistryLock lockOf(Object lockKey) {
        if (lockKey instanceof String text) {
            return new RegistryLock(locks, LockRequest.of(name + ':' + text).named(name));
        }
        throw new IllegalArgumentException(
                "The lock key " + LockRequest.printable(String.valueOf(lockKey)) + " is no String; give its text");
    }

    /**
     * Does nothing: the registry keeps no locks, only what threads hold.
     *
     * @param age not used
     */
    @Override
    public void expireUnusedOlderThan(long age) {}

    /**
     * Makes the lease of the lock end no earlier than the configured lease from now; never shortens it. The calling
     * thread has to hold it.
     *
     * @param lockKey its key
     * @throws IllegalStateException when the thread does not hold the lock, or has lost it
     * @throws io.github.lockstarter.LockBackendException when the store did not answer
     */
    @Override
    public void renewLock(Object lockKey) {
        lockOf(lockKey).renew();
    }

    /**
     * Makes the lease of the lock end no earlier than the given time from now; never shortens it. The calling thread
     * has to hold it.
     *
     * @param lockKey its key
     * @param ttl the lease, from 20 ms to {@code distributed-lock.max-lease}
     * @throws IllegalStateException when the thread does not hold the lock, or has lost it
     * @throws io.github.lockstarter.LockBackendException when the store did not answer
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lockOf(lockKey).renew(ttl);
    }
}

package io.github.lockstarter.integration;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Objects;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A Spring Integration 7 lock registry on {@link LockOperations}. Locks are reentrant per thread and renewed as
 * configured; a TTL sets their lease. Lock {@code orders} of the registry {@value #DEFAULT_NAME} has the key {@code
 * integration:orders}; the registry's name is the name of its locks. Thread-safe.
 *
 * <p>After the loss of a lock that a thread holds:
 * <ul>
 *   <li>{@code unlock}, {@code lock} and {@code lockInterruptibly} throw {@link
 *       java.util.ConcurrentModificationException}, until the thread has left the lock.
 *   <li>The thread's next {@code tryLock} ends the hold and returns false, even if {@code renewLock} reported the
 *       loss; the following one acquires the lock again. So a {@code LockRegistryLeaderInitiator} revokes its
 *       leadership instead of continuing it across a gap. A nested {@code tryLock} asks the store (one round trip);
 *       without an answer it returns true as long as no other owner can have the lock.
 * </ul>
 *
 * <p>{@code unlock} by a thread without the lock throws {@link IllegalMonitorStateException}. If the store is
 * unavailable, locking throws {@link io.github.lockstarter.LockBackendException}. Conditions are not supported.
 */
public final class DistributedLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

    /** The default name of a registry. */
    public static final String DEFAULT_NAME = "integration";

    private final LockOperations locks;
    private final String name;

    /**
     * Creates a registry with the default name.
     *
     * @param locks holds the locks
     */
    public DistributedLockRegistry(LockOperations locks) {
        this(locks, DEFAULT_NAME);
    }

    /**
     * Creates a registry. Registries of the same name share their locks.
     *
     * @param locks holds the locks
     * @param name the locks' name, and the prefix of their keys before a colon
     */
    public DistributedLockRegistry(LockOperations locks, String name) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.name = Objects.requireNonNull(name, "name");
    }

    /**
     * Returns the lock of a key. Locks of equal keys are equal.
     *
     * @param lockKey a string; the text of another object may differ between instances
     * @return a stateless view
     * @throws IllegalArgumentException if the key is not a string
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
     * Does nothing: the registry stores no lock objects.
     *
     * @param age ignored
     */
    @Override
    public void expireUnusedOlderThan(long age) {}

    /**
     * Extends the lease to at least the configured lease from now. Requires that the calling thread holds the lock.
     *
     * @param lockKey its key
     * @throws IllegalStateException if the thread does not hold the lock, or has lost it
     * @throws io.github.lockstarter.LockBackendException if the store does not answer
     */
    @Override
    public void renewLock(Object lockKey) {
        lockOf(lockKey).renew();
    }

    /**
     * Extends the lease to at least the given time from now. Requires that the calling thread holds the lock.
     *
     * @param lockKey its key
     * @param ttl the lease, from 20 ms to {@code distributed-lock.max-lease}
     * @throws IllegalStateException if the thread does not hold the lock, or has lost it
     * @throws io.github.lockstarter.LockBackendException if the store does not answer
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lockOf(lockKey).renew(ttl);
    }
}

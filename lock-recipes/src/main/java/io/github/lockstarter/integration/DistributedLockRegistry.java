package io.github.lockstarter.integration;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * A Spring Integration 7 lock registry. Locks are reentrant per thread and renewed as configured; a TTL sets their
 * lease. Conditions are not supported. Thread-safe.
 *
 * <p>After the loss of a lock that a thread holds, all its methods throw {@link
 * java.util.ConcurrentModificationException} until the thread has called {@code unlock} for each hold. So a {@code
 * LockRegistryLeaderInitiator} revokes its leadership instead of continuing it across a gap. A nested {@code tryLock},
 * and a nested {@code lock} with a TTL, ask the store and extend the lease; without an answer they succeed as long as
 * no other owner can have the lock.
 */
public final class DistributedLockRegistry
        implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

    /** The default name. */
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
     * Creates a registry.
     *
     * @param locks holds the locks
     * @param name locks' name and, before a colon, the prefix of their keys
     */
    public DistributedLockRegistry(LockOperations locks, String name) {
        this.locks = Objects.requireNonNull(locks, "locks");
        this.name = Objects.requireNonNull(name, "name");
    }

    /**
     * Returns a stateless view of a lock.
     *
     * @param lockKey a string; the text of another object may differ between instances
     * @return the lock; equal for equal keys
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
     * Does nothing: the registry stores no locks.
     *
     * @param age ignored
     */
    @Override
    public void expireUnusedOlderThan(long age) {}

    /**
     * Extends the lease to at least the configured one.
     *
     * @param lockKey a lock of this thread
     * @throws IllegalStateException if the thread does not hold the lock, or has lost it
     * @throws io.github.lockstarter.LockBackendException if the store does not answer
     */
    @Override
    public void renewLock(Object lockKey) {
        lockOf(lockKey).renew(UnaryOperator.identity());
    }

    /**
     * Extends the lease to at least the given time.
     *
     * @param lockKey a lock of this thread
     * @param ttl from 20 ms to {@code distributed-lock.max-lease}
     * @throws IllegalStateException as {@link #renewLock(Object)}
     * @throws io.github.lockstarter.LockBackendException as {@link #renewLock(Object)}
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lockOf(lockKey).renew(terms -> terms.lease(ttl));
    }
}

package io.github.lockstarter;

/**
 * Behaviour of a lock that is acquired inside a transaction of the caller, by a locked method or in code. The
 * transaction commits after a release in between, so the next owner could read old data.
 *
 * <p>Has no effect on transaction managers without synchronization, the default for Kafka, RabbitMQ and JMS; with
 * {@link #REFUSE} or {@link #RELEASE_AFTER} a warning says so. Has no effect on a transaction that has completed, as in
 * a listener after the commit.
 */
public enum InTransaction {
    /** Uses {@code distributed-lock.in-transaction}. */
    AS_CONFIGURED,
    /**
     * Releases before the commit, and warns once per method or, in code, once per name of the lock and of the
     * transaction, but not of a read-only transaction. The default.
     */
    WARN,
    /** Releases before the commit without a warning, for locks that protect nothing in the transaction. */
    RELEASE,
    /**
     * Throws {@link IllegalStateException} without acquiring the lock or running the method. {@link
     * LockSource#acquire}, {@code tryAcquire} and {@code acquireAsync} grant the lock; if it is released before the
     * commit, the transaction is rolled back with that exception. A loss before the commit rolls it back with {@link
     * LockLostException}, unless the lock has {@link OnLost#RETURN}.
     */
    REFUSE,
    /**
     * Keeps the lock, reentrant for the thread, until the transaction ends. A loss before the commit rolls the
     * transaction back, unless the lock has {@link OnLost#RETURN}. Locks that no thread owns, those of asynchronous
     * work and {@linkplain LockRequest#ownedByHandle() of handles}, are released before the commit, with a warning.
     */
    RELEASE_AFTER
}

package io.github.lockstarter;

/**
 * Behaviour of a locked method inside a caller's transaction, which commits after the method has returned: a release at
 * that point lets the next owner read old data.
 *
 * <p>Has no effect on transaction managers without synchronization, the default for Kafka, RabbitMQ and JMS; with
 * {@link #REFUSE} or {@link #RELEASE_AFTER} such a call warns once per method.
 */
public enum InTransaction {
    /** Uses {@code distributed-lock.in-transaction}. */
    AS_CONFIGURED,
    /** Releases when the method returns, before the commit, and warns once per method. The default. */
    WARN,
    /** Throws {@link IllegalStateException} without acquiring the lock or running the method. */
    REFUSE,
    /**
     * Keeps the lock, reentrant for the thread, until the transaction ends. A loss before the commit rolls the
     * transaction back, unless {@code distributed-lock.on-lost} is {@code return}. Throws {@link IllegalStateException}
     * if the transaction has ended, as in a listener after the commit.
     */
    RELEASE_AFTER
}

package io.github.lockstarter;

/**
 * Behaviour of a locked method that is called inside a caller's transaction. That transaction commits after the method
 * has returned, so a release at that point would let the next owner read old data.
 *
 * <p>Has no effect on transaction managers without synchronization, the default for Kafka, RabbitMQ and JMS; with
 * {@link #REFUSE} or {@link #RELEASE_AFTER}, a method called inside such a transaction warns once.
 */
public enum InTransaction {
    /** Uses {@code distributed-lock.in-transaction}. */
    AS_CONFIGURED,
    /** Releases when the method returns, before the commit, and warns once per method. The default. */
    WARN,
    /** Throws {@link IllegalStateException} without acquiring the lock or running the method. */
    REFUSE,
    /**
     * Keeps the lock until the transaction has committed or rolled back, even if the method throws. Until then the
     * thread may re-enter the lock. A loss before the commit rolls the transaction back, unless {@code
     * distributed-lock.on-lost} is {@code return}. If the transaction has ended already, as in a listener after the
     * commit, throws {@link IllegalStateException}.
     */
    RELEASE_AFTER
}

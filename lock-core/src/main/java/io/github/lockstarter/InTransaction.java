package io.github.lockstarter;

/**
 * What a locked method does that is called inside a transaction of its caller: that transaction commits after the
 * method has returned, so other owners of the lock would read what was there before.
 *
 * <p>Has no effect on the transaction of a manager without synchronization, as those of Kafka, RabbitMQ and JMS are by
 * default. A method with {@link #REFUSE} or {@link #RELEASE_AFTER} that is called inside of one warns once.
 */
public enum InTransaction {
    /** As {@code distributed-lock.in-transaction} says. */
    AS_CONFIGURED,
    /** Releases when the method returns, before the commit, and warns once for each method. The default. */
    WARN,
    /** Throws {@link IllegalStateException}; the method does not run, and nothing is locked. */
    REFUSE,
    /**
     * Keeps the lock until the transaction has committed or rolled back, also if the method throws. Until then the
     * thread may acquire it again. If it is lost before the commit, the transaction is rolled back, unless {@code
     * distributed-lock.on-lost} is {@code return}. Throws {@link IllegalStateException} as {@link #REFUSE} does if the
     * transaction has ended already, as in a listener after the commit.
     */
    RELEASE_AFTER
}

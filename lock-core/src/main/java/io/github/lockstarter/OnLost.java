package io.github.lockstarter;

/**
 * What happens to locked work, and how its call ends, when the lock is lost. Nested work under the same lock has the
 * behaviour of the outermost acquisition; of several locks, the strictest applies.
 */
public enum OnLost {
    /** Uses {@code distributed-lock.on-lost}, by default {@link #THROW}. */
    AS_CONFIGURED,
    /**
     * Throws {@link LockLostException} after work that ended normally, so that the result is not taken for exclusive
     * work. The default.
     */
    THROW,
    /**
     * Returns the result; the log and the {@link LockListener}s report the loss. For locks that only avoid duplicate
     * work.
     */
    RETURN,
    /**
     * Interrupts the thread that runs the work, after the {@link LockHandle#onLost(Runnable)} callbacks have returned
     * and never after the work has ended; a loss by the stop of the lock client does not interrupt. The call throws
     * {@link LockLostException}, with an exception of the work as suppressed. A {@link java.util.concurrent.Future}
     * that asynchronous work returned is cancelled.
     *
     * <p>When the work has ended, the interrupt flag is as without the loss. An interrupt by other code at the same
     * time or later cannot be distinguished, and is cleared with it; an earlier one stays.
     *
     * <p>Only methods and {@link LockOperations#execute} have work to interrupt, not {@link LockSource#acquire} and
     * {@link LockOperations#asLock}.
     */
    INTERRUPT
}

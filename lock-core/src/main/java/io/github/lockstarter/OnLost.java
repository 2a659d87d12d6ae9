package io.github.lockstarter;

/** Outcome of locked work that ended normally after the lock was lost. */
public enum OnLost {
    /** Throws {@link LockLostException}, so that the result is not taken for exclusive work. The default. */
    THROW,
    /**
     * Returns the result; the log and the {@link LockListener}s report the loss. For locks that only avoid duplicate
     * work.
     */
    RETURN
}

package io.github.lockstarter;

/** What a locked method or {@link LockOperations#execute} does when its body ended normally but the lock was lost. */
public enum OnLost {
    /** Throws {@link LockLostException}, so that nobody takes the result for exclusive work. The default. */
    THROW,
    /** Returns the result; the loss is in the log and with the {@link LockListener}s. For locks that only save work. */
    RETURN
}

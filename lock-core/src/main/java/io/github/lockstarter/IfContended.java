package io.github.lockstarter;

/** Outcome of a call of a locked method when another owner held the lock for the whole wait. */
public enum IfContended {
    /** Throws {@link LockNotAcquiredException}. */
    THROW,
    /** Skips the method and returns nothing, an empty {@code Optional}, or null. */
    SKIP
}

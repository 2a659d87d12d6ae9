package io.github.lockstarter;

/** What a call of a locked method does when another owner held the lock for the whole wait. */
public enum IfContended {
    /** Throws {@link LockNotAcquiredException}. */
    THROW,
    /** Returns without running the method: nothing, an empty {@code Optional}, or null. */
    SKIP
}

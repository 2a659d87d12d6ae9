package io.github.lockstarter;

/** What a lock excludes. */
public enum LockMode {
    /** All other owners: the ordinary lock. */
    WRITE,
    /** Owners that write. Any number of owners that read hold the lock at the same time. */
    READ
}

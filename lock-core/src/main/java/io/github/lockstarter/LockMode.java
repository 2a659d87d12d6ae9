package io.github.lockstarter;

/** What a lock excludes. */
public enum LockMode {
    /** All other owners: the ordinary lock. */
    WRITE,
    /**
     * Owners that write. Callers that read have the lock at the same time: any number in an instance, with up to 32
     * holds in all instances. See {@link LockRequest#mode}.
     */
    READ
}

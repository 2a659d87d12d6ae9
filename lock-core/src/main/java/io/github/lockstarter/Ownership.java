package io.github.lockstarter;

/** The owner of a lock that is acquired with a {@link LockRequest}: the owner may acquire the lock again at once. */
public enum Ownership {

    /**
     * The thread that acquires it: its nested acquires of the key share the hold, until the last of them is released.
     */
    THREAD,

    /** The handle alone: every other acquire of the key contends, also on the thread that acquired it. */
    HANDLE
}

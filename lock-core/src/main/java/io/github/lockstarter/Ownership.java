package io.github.lockstarter;

/** Who owns a lock that was acquired with a {@link LockRequest}, and may therefore acquire it again at once. */
public enum Ownership {

    /** The thread that acquires it: its nested acquires of the key share the hold, until the last of them is released. */
    THREAD,

    /** The handle alone: every other acquire of the key contends, also on the thread that acquired it. */
    HANDLE
}

package io.github.lockstarter;

/** The owner of a lock, who may re-enter it. */
public enum Ownership {

    /** The acquiring thread: its nested acquires of the key share the hold until the last release. */
    THREAD,

    /** The handle alone: every other acquire of the key contends, even on the acquiring thread. */
    HANDLE
}

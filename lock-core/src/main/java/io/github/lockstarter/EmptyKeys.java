package io.github.lockstarter;

/** Outcome of a call whose list of keys is empty, so that there is nothing to lock. */
public enum EmptyKeys {
    /** The call throws {@link IllegalArgumentException}, since an empty list is usually a mistake. The default. */
    REFUSE,
    /** The call locks its other keys, if any, for work that does nothing with an empty list. */
    RUN_UNLOCKED
}

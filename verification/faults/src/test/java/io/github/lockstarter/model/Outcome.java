package io.github.lockstarter.model;

/** What a script answers. */
enum Outcome {
    /** Acquire: the token has the lock. */
    GRANTED,
    /** Acquire: another token has it, or the history is too young. */
    REFUSED,
    /** Renew: the lease counts from the sending of the command. */
    RENEWED,
    /** Renew: the history is too young to tell; the lease is what it was. */
    DEFERRED,
    /** Renew: somebody else's. */
    LOST,
    /** Release: whatever was there, the token does not have the lock now. */
    RELEASED
}

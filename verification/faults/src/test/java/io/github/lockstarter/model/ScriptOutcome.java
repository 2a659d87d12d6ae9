package io.github.lockstarter.model;

/** Answers of scripts. */
enum ScriptOutcome {
    /** Acquire: the token has the lock. */
    GRANTED,
    /** Acquire: another token has it, or the history is too young. */
    REFUSED,
    /** Renew: the lease counts from the sending of the command. */
    RENEWED,
    /** Renew: the history is too young; the lease is unchanged. */
    DEFERRED,
    /** Renew: another owner has the lock. */
    LOST,
    /** Release: whatever was there, the token does not have the lock now. */
    RELEASED
}

package io.github.lockstarter.model;

/** What a client has, and awaits. */
enum ClientPhase {
    /** Nothing. */
    IDLE,
    /** Nothing yet, and the answer to an acquire. */
    ACQUIRING,
    /** The lock. */
    HOLDING,
    /** The lock, and the answer to a renewal. */
    RENEWING
}

package io.github.lockstarter.spi;

import java.time.Duration;

/** Outcome of a {@link RenewCommand}. */
public sealed interface RenewResult {

    /**
     * The lease was renewed, counted from before the command was sent.
     *
     * @param history which history of the store has renewed it, as {@link CrashDetection.Beat#history} names it
     */
    record Renewed(String history) implements RenewResult {

        /** Renewed by a store that has one history. */
        public Renewed() {
            this("");
        }
    }

    /** The token no longer has the lock. */
    record NotHeld() implements RenewResult {}

    /**
     * The store cannot renew yet; the lease is what it was.
     *
     * @param retryAfter when to try again; zero if a repeated renewal may have a result at once
     */
    record Deferred(Duration retryAfter) implements RenewResult {}

    /**
     * No answer, or an error; the lease is at least what it was.
     *
     * @param reason what failed
     * @param cause the store's or the client's failure
     */
    record Unknown(String reason, Throwable cause) implements RenewResult, FailedResult {}
}

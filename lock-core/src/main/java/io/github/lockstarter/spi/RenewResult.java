package io.github.lockstarter.spi;

import java.time.Duration;

/** Outcome of a {@link RenewCommand}. */
public sealed interface RenewResult {

    /**
     * Renewed, counted from before the command was sent.
     *
     * @param history as {@link CrashDetection.Beat#history}
     */
    record Renewed(String history) implements RenewResult {

        /** Renewed by a store with one history. */
        public Renewed() {
            this("");
        }
    }

    /** The token no longer has the lock. */
    record NotHeld() implements RenewResult {}

    /**
     * The store cannot renew yet; the lease is unchanged.
     *
     * @param retryAfter time until the next attempt; zero to retry at once
     */
    record Deferred(Duration retryAfter) implements RenewResult {}

    /**
     * No answer, or an error; the lease is at least as long as before.
     *
     * @param reason failure
     * @param cause failure as reported
     */
    record Unknown(String reason, Throwable cause) implements RenewResult, FailedResult {}
}

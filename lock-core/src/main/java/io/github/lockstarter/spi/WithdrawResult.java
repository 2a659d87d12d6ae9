package io.github.lockstarter.spi;

/** Outcome of a {@link WithdrawCommand}. */
public sealed interface WithdrawResult {

    /** The instance no longer waits, and the token does not have the lock. */
    record Withdrawn() implements WithdrawResult {}

    /**
     * No answer, or an error; the token may still have the lock, and the registration ends with its patience.
     *
     * @param reason what failed
     * @param cause the store's or the client's failure
     */
    record Unknown(String reason, Throwable cause) implements WithdrawResult, FailedResult {}
}

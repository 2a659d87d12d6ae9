package io.github.lockstarter.spi;

/** Outcome of a {@link ReleaseCommand}. */
public sealed interface ReleaseResult {

    /**
     * The lock is free, or was freed by an earlier copy of the same command, with no other owner in between.
     *
     * @param signalled how many instances this copy of the command is known to have signalled: 0 or 1
     */
    record Released(int signalled) implements ReleaseResult {}

    /** The token no longer had the lock; nothing was changed. */
    record NotHeld() implements ReleaseResult {}

    /**
     * No answer, or an error; the lock may still be there.
     *
     * @param reason what failed
     * @param cause the store's or the client's failure
     */
    record Unknown(String reason, Throwable cause) implements ReleaseResult {}
}

package io.github.lockstarter.spi;

import java.time.Duration;

/** Outcome of a {@link ReleaseCommand}. */
public sealed interface ReleaseResult {

    /**
     * The lock is free: freed by this command, or by an earlier copy of it that the client has sent. For a command that
     * {@linkplain ReleaseCommand#endsWait ends a wait}: the token does not have the lock, and the instance does not
     * wait.
     *
     * @param signalled how many instances this copy of the command is known to have signalled: 0 or 1. Perhaps 0 where
     *     the instance did not request a new place in the queue, and the store lets no newcomer in before the queue
     */
    record Released(int signalled) implements ReleaseResult {}

    /**
     * The token has given the lock up, and the lock is kept for the rest of its minimum time.
     *
     * @param rest how long the store still grants the lock to none
     * @param signalled how many instances this copy of the command is known to have signalled, so that they learn how
     *     long the lock is kept: 0 or 1
     */
    record Kept(Duration rest, int signalled) implements ReleaseResult {}

    /**
     * The lock is free, or has another owner, and the client has sent the command more than once: the first copy has
     * freed it, unless the token had lost it before.
     */
    record FoundFree() implements ReleaseResult {}

    /**
     * The token no longer had the lock; nothing was changed. A store that keeps nothing of a free lock answers so also
     * to a second command for what was released before.
     */
    record NotHeld() implements ReleaseResult {}

    /**
     * No answer, or an error; the lock may still be there.
     *
     * @param reason what failed
     * @param cause the store's or the client's failure
     */
    record Unknown(String reason, Throwable cause) implements ReleaseResult, FailedResult {}
}

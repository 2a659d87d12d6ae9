package io.github.lockstarter.spi;

import java.time.Duration;

/** Outcome of a {@link ReleaseCommand}. */
public sealed interface ReleaseResult {

    /**
     * The lock was freed, by this copy of the command or an earlier one. After an {@linkplain ReleaseCommand#endsWait
     * end of a wait}, the token does not have the lock, which it may never have had, and the instance does not wait.
     *
     * @param signalled number of instances that this copy signalled, 0 or 1. May be 0 if the instance requested no new
     *     place in the queue and the store lets no new caller pass the queue
     */
    record Released(int signalled) implements ReleaseResult {}

    /**
     * The token gave the lock up, which is kept for the rest of its minimum hold.
     *
     * @param rest time without grants
     * @param signalled number of instances that this copy signals about that time, 0 or 1
     */
    record Kept(Duration rest, int signalled) implements ReleaseResult {}

    /**
     * The lock is free or has another owner after the client sent the command more than once: the first copy freed it,
     * unless the token had lost it before.
     */
    record FoundFree() implements ReleaseResult {}

    /**
     * The token no longer had the lock; nothing changed. Also a repeated release, where the store keeps no state of
     * free locks.
     */
    record NotHeld() implements ReleaseResult {}

    /**
     * No answer, or an error; the token may still have the lock.
     *
     * @param reason failure
     * @param cause failure as reported
     */
    record Unknown(String reason, Throwable cause) implements ReleaseResult, FailedResult {}
}

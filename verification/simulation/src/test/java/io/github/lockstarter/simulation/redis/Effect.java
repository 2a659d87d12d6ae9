package io.github.lockstarter.simulation.redis;

import org.jspecify.annotations.Nullable;

/**
 * One change by a command, as replicas and the append-only file receive it: with the absolute time of expiry.
 *
 * <p>Redis forwards some commands unchanged, such as SET with KEEPTTL and INCRBY. The outcome is the same, except for a
 * key that a script has withheld from replicas; shipped scripts only overwrite those.
 */
sealed interface Effect {

    /**
     * A key has another value or another end.
     *
     * @param stored null if the key was deleted, or has expired
     */
    record Change(String key, @Nullable Stored stored) implements Effect {}

    /** A message was published; the append-only file does not have it. */
    record Message(String channel, String text) implements Effect {}
}

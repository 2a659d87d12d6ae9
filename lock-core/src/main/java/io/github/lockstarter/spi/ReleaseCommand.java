package io.github.lockstarter.spi;

import io.github.lockstarter.spi.AcquireCommand.Waiting;
import java.time.Duration;
import java.util.Optional;

/**
 * One release.
 *
 * @param key key
 * @param token owner's token
 * @param fencingToken last fencing token granted to the token; 0 if no grant is known
 * @param ownWait whether callers of this instance continue to wait
 * @param minHold minimum hold, or zero; in the same step the store keeps the lock for the rest of it, by its own clock.
 *     It starts with the grant's recorded time if the attempt had a minimum hold; otherwise with an upper bound of it,
 *     capped at the present
 * @param slots token's slot, or all candidates if no grant is known
 */
public record ReleaseCommand(
        String key, LockToken token, long fencingToken, Wait ownWait, Duration minHold, Slots slots) {

    /** The wait of the releasing instance. */
    public sealed interface Wait {

        /** The instance keeps its place in the queue, if any. */
        Wait UNCHANGED = new Unchanged();

        /** The instance leaves the queue for good. */
        Wait ENDS = new Ends(Waiting.NEW);

        /** See {@link #UNCHANGED}. */
        record Unchanged() implements Wait {}

        /**
         * The instance leaves the queue, in which it may take its place again.
         *
         * @param position only an instance behind it is signalled; {@link Waiting#NEW} if any may be
         */
        record Ends(long position) implements Wait {}

        /**
         * Callers of the instance continue to wait: it is registered at the end of the queue if another instance is
         * signalled or the lock is kept; otherwise it is not registered and may retry at once.
         *
         * @param patience minimum time for which the store keeps the registration
         */
        record GoesOn(Duration patience) implements Wait {}
    }

    /**
     * Validates the release.
     *
     * @param key key
     * @param token owner's token
     * @param fencingToken last fencing token granted to the token; 0 if no grant is known
     * @param ownWait whether callers of this instance continue to wait
     * @param minHold minimum hold, or zero
     * @param slots token's slot, or all candidates if no grant is known
     * @throws IllegalArgumentException if it has a minimum hold and several slots: only a grant's slot is kept
     */
    public ReleaseCommand {
        if (!minHold.isZero() && slots.count() > 1) {
            throw new IllegalArgumentException(
                    "A release of " + slots.count() + " slots keeps none for a minimum hold");
        }
    }

    /**
     * A release with one permit and no minimum hold that leaves the wait unchanged.
     *
     * @param key key
     * @param token token
     * @param fencingToken fencing token
     */
    public ReleaseCommand(String key, LockToken token, long fencingToken) {
        this(key, token, fencingToken, Wait.UNCHANGED, Duration.ZERO, Slots.ONLY);
    }

    /**
     * {@return the same release of other slots, without an effect on waits}
     *
     * @param others slots
     */
    public ReleaseCommand releasing(Slots others) {
        return new ReleaseCommand(key, token, fencingToken, Wait.UNCHANGED, minHold, others);
    }

    /**
     * {@return the end of a wait without a hold}
     *
     * @param key key
     * @param token of the attempt in flight, which may have been granted; a new one if there is none
     */
    public static ReleaseCommand endOfWait(String key, LockToken token) {
        return endOfWait(key, token, 0, Waiting.NEW);
    }

    /**
     * {@return the end of a signalled instance's wait, without a hold}
     *
     * @param key key
     * @param token of the last attempt; a new one if there is none
     * @param slot signalled slot
     * @param position instance's place, if it waits for other slots: instances before it have attempted since the
     *     slot became free; otherwise {@link Waiting#NEW}
     */
    public static ReleaseCommand endOfWait(String key, LockToken token, int slot, long position) {
        return new ReleaseCommand(key, token, 0, new Wait.Ends(position), Duration.ZERO, Slots.one(slot));
    }

    /** {@return whether the instance leaves the queue} */
    public boolean endsWait() {
        return ownWait instanceof Wait.Ends;
    }

    /** {@return the patience of {@link Wait.GoesOn}; otherwise empty} */
    public Optional<Duration> requeue() {
        return ownWait instanceof Wait.GoesOn goesOn ? Optional.of(goesOn.patience()) : Optional.empty();
    }
}

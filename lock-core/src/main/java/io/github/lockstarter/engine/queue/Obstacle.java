package io.github.lockstarter.engine.queue;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the last answer of the backend said about a lock that was not granted.
 *
 * @param kind why it was not granted
 * @param remaining how long that lasts at most; empty if it does not end by itself
 * @param ending how a wait ends that can last no longer; empty if another owner has the lock, or it is kept
 * @param holder describes the owner of the lock, as far as it is known
 * @param lookAgain when to look again at the latest, however long it lasts; empty if it does not matter
 * @param watched the instance that has the lock, if the heartbeats look whether it is alive
 */
public record Obstacle(
        Kind kind,
        Optional<Duration> remaining,
        Optional<AcquireOutcome> ending,
        Optional<Supplier<String>> holder,
        Optional<Duration> lookAgain,
        Optional<String> watched) {

    /** What stands between a caller and the lock, and ends some day. */
    Obstacle(Kind kind, Optional<Duration> remaining) {
        this(kind, remaining, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** A hold of this instance has the lock; empty if its lease is over. */
    public static Optional<Obstacle> of(Hold hold) {
        if (hold.lifecycle.isOver()) {
            return Optional.empty();
        }
        Duration remaining = hold.lifecycle.isHeld() ? hold.remainingLease() : hold.terms.lease();
        return Optional.of(new Obstacle(
                Kind.OWNER,
                Optional.of(remaining),
                Optional.empty(),
                Optional.of(() -> describe(hold)),
                Optional.empty(),
                Optional.empty()));
    }

    /** Another owner has the lock, perhaps of another instance; the backend may know its name. */
    public static Obstacle heldElsewhere(Optional<LockHolder> holder, Optional<Duration> remaining) {
        return new Obstacle(
                Kind.OWNER,
                remaining,
                Optional.empty(),
                holder.map(owner -> () -> describe(owner)),
                Optional.empty(),
                Optional.empty());
    }

    /** The same, which is to be looked at again within a time, if there is one. */
    public Obstacle lookedAtWithin(Optional<Duration> limit) {
        return limit.isEmpty() ? this : new Obstacle(kind, remaining, ending, holder, limit, watched);
    }

    /** The same, and the heartbeats look whether the instance that has the lock is alive. */
    public Obstacle watchedAt(String instance) {
        return new Obstacle(kind, remaining, ending, holder, lookAgain, Optional.of(instance));
    }

    /** The lock is kept for the rest of its minimum time. */
    public static Obstacle kept(Optional<Duration> rest) {
        return new Obstacle(Kind.KEPT, rest);
    }

    /** Whether the lock is kept for the rest of its minimum time. */
    public boolean isKept() {
        return kind == Kind.KEPT;
    }

    /** What is left of it after a wait that no answer interrupted. */
    Obstacle after(long nanos) {
        return new Obstacle(
                kind,
                remaining.map(left -> Duration.ofNanos(Math.max(0, left.toNanos() - nanos))),
                ending,
                holder,
                lookAgain,
                watched);
    }

    /** The backend can grant nothing now. */
    public static Obstacle unavailable(AcquireOutcome.Failed failure) {
        return new Obstacle(
                Kind.OUTAGE,
                Optional.empty(),
                Optional.of(failure),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** The backend may have forgotten the owner of the lock. */
    public static Obstacle recovering(AcquireResult.Recovering answer) {
        return new Obstacle(
                Kind.RECOVERY,
                Optional.of(answer.retryAfter()),
                Optional.of(new AcquireOutcome.Recovering(answer)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static String describe(Hold holder) {
        return caller(holder.owner.label()) + " of this instance, which has held it for "
                + DurationText.of(holder.held());
    }

    private static String describe(LockHolder holder) {
        String instance = "instance " + holder.instanceText();
        return holder.owner().map(owner -> caller(owner) + " of " + instance).orElse(instance)
                + holder.since()
                        .map(since -> ", which has held it since " + since)
                        .orElse("");
    }

    private static String caller(String owner) {
        return owner.equals(HeldLock.ASYNC) ? "an asynchronous caller" : "thread '" + owner + "'";
    }

    /** The owner of the lock, for a message. */
    public String holderText() {
        return holder.map(Supplier::get).orElse("another owner");
    }

    /** How a wait ends that can last no longer. */
    public AcquireOutcome outcome() {
        return ending.orElseGet(() -> new AcquireOutcome.Busy(this));
    }

    /** What is in the way. */
    enum Kind {
        /** Another owner. */
        OWNER,
        /** The rest of the minimum time that the last owner left. */
        KEPT,
        /** The backend may have forgotten locks and grants none for a while. */
        RECOVERY,
        /** The backend can grant nothing at the moment. */
        OUTAGE
    }
}

package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Why a lock is not granted, by the last answer of the store or by a hold of this instance.
 *
 * @param isKept whether the lock has no owner, and the store keeps it for the rest of a minimum time
 * @param remaining how long that lasts at most; empty if it does not end by itself
 * @param ending how a wait ends that can last no longer; empty if another owner has the lock, or it is kept
 * @param holder describes the owner of the lock, as far as it is known
 * @param lookAgain when to look again at the latest, however long it lasts; empty if it does not matter
 * @param instance the one that has the lock, if the store knows it
 * @param seenAt when the store said so, on the monotonic clock; 0 if this instance did
 */
record Obstacle(
        boolean isKept,
        Optional<Duration> remaining,
        Optional<Outcome> ending,
        Optional<Supplier<String>> holder,
        Optional<Duration> lookAgain,
        Optional<String> instance,
        long seenAt) {

    private static Obstacle of(boolean isKept, Optional<Duration> remaining, @Nullable Outcome ending, long seenAt) {
        return new Obstacle(
                isKept,
                remaining,
                Optional.ofNullable(ending),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                seenAt);
    }

    /** Another caller of this instance, which has just been granted the lock. */
    static Obstacle owner(Duration lease) {
        return of(false, Optional.of(lease), null, 0);
    }

    /** A hold of this instance. */
    static Obstacle heldHere(Duration remaining, Supplier<String> holder) {
        return new Obstacle(
                false,
                Optional.of(remaining),
                Optional.empty(),
                Optional.of(holder),
                Optional.empty(),
                Optional.empty(),
                0);
    }

    /** The lock is kept for the rest of its minimum time. */
    static Obstacle kept(Duration rest, long now) {
        return of(true, Optional.of(rest), null, now);
    }

    /** By an answer of the store; null if that is a grant, or does not tell about the lock. */
    static @Nullable Obstacle of(AcquireResult answer, long now) {
        if (answer instanceof AcquireResult.Contended contended) {
            return heldElsewhere(contended, now);
        }
        if (answer instanceof AcquireResult.Recovering recovering) {
            return of(false, Optional.of(recovering.retryAfter()), new Outcome.Recovering(recovering), now);
        }
        return answer instanceof AcquireResult.Unavailable unavailable
                ? of(false, Optional.empty(), new Outcome.Failed(true, unavailable.reason(), unavailable.cause()), now)
                : null;
    }

    /** Another owner, perhaps of another instance; the store may know its name. */
    private static Obstacle heldElsewhere(AcquireResult.Contended answer, long now) {
        return new Obstacle(
                answer.kept(),
                answer.remainingLease(),
                Optional.empty(),
                answer.holder().map(owner -> () -> describe(owner)),
                answer.kept() ? Optional.empty() : answer.lookAgain(),
                answer.kept() ? Optional.empty() : answer.holder().map(LockHolder::instance),
                now);
    }

    /** What is left of it now, if no other answer came. */
    Obstacle after(long now) {
        return new Obstacle(
                isKept,
                remaining.map(left -> Duration.ofNanos(Math.max(0, left.toNanos() - (now - seenAt)))),
                ending,
                holder,
                lookAgain,
                instance,
                now);
    }

    /** Whether the store can grant nothing at the moment. */
    boolean isOutage() {
        return ending.filter(Outcome.Failed.class::isInstance).isPresent();
    }

    /** The owner of the lock, for a message. */
    String holderText() {
        return holder.map(Supplier::get).orElse("another owner");
    }

    /** How a wait ends that can last no longer. */
    Outcome outcome() {
        return ending.orElseGet(() -> new Outcome.Busy(this));
    }

    /** A caller, for a message. */
    static String caller(String owner) {
        return owner.equals(HeldLock.ASYNC) ? "an asynchronous caller" : "thread '" + owner + "'";
    }

    static String describe(String owner, Duration held) {
        return caller(owner) + " of this instance, which has held it for " + DurationText.of(held);
    }

    private static String describe(LockHolder holder) {
        String instance = "instance " + holder.instanceText();
        return holder.owner().map(owner -> caller(owner) + " of " + instance).orElse(instance)
                + holder.since()
                        .map(since -> ", which has held it since " + since)
                        .orElse("");
    }
}

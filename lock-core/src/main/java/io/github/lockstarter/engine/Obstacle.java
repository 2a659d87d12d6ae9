package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Why a lock is not granted, by the last answer of the store or by a hold of this instance.
 *
 * @param answer of the store, or its like for a hold of this instance
 * @param ending how a wait ends that can last no longer; null if another owner has the lock, or it is kept
 * @param holder describes the hold of this instance; null if the store answered
 * @param seenAt when the store said so, on the monotonic clock; 0 if this instance did
 */
record Obstacle(
        AcquireResult.Contended answer,
        @Nullable Outcome ending,
        @Nullable Supplier<String> holder,
        long seenAt) {

    /** Another caller of this instance, which has just been granted the lock. */
    static Obstacle owner(Duration lease) {
        return new Obstacle(lasting(Optional.of(lease)), null, null, 0);
    }

    /** A hold of this instance. */
    static Obstacle heldHere(Duration remaining, Supplier<String> holder) {
        return new Obstacle(lasting(Optional.of(remaining)), null, holder, 0);
    }

    /** The lock is kept for the rest of its minimum time. */
    static Obstacle kept(Duration rest, long now) {
        AcquireResult.Contended kept =
                new AcquireResult.Contended(Optional.of(rest), Waiting.NEW, Optional.empty(), true);
        return new Obstacle(kept, null, null, now);
    }

    /** By an answer of the store; null if that is a grant, or does not tell about the lock. */
    static @Nullable Obstacle of(AcquireResult answer, long now) {
        if (answer instanceof AcquireResult.Contended contended) {
            return new Obstacle(contended, null, null, now);
        }
        if (answer instanceof AcquireResult.Recovering recovering) {
            Outcome ending = new Outcome.Recovering(recovering);
            return new Obstacle(lasting(Optional.of(recovering.retryAfter())), ending, null, now);
        }
        if (answer instanceof AcquireResult.Unavailable unavailable) {
            Outcome ending = new Outcome.Failed(true, unavailable.reason(), unavailable.cause());
            return new Obstacle(lasting(Optional.empty()), ending, null, now);
        }
        return null;
    }

    private static AcquireResult.Contended lasting(Optional<Duration> remaining) {
        return new AcquireResult.Contended(remaining, Waiting.NEW);
    }

    /** Whether the lock has no owner, and the store keeps it for the rest of a minimum time. */
    boolean isKept() {
        return answer.kept();
    }

    /** How long that lasts at most; empty if it does not end by itself. */
    Optional<Duration> remaining() {
        return answer.remainingLease();
    }

    /** When to look again at the latest, however long it lasts; empty if it does not matter. */
    Optional<Duration> lookAgain() {
        return isKept() ? Optional.empty() : answer.lookAgain();
    }

    /** The instance that has the lock, if the store knows it. */
    Optional<String> instance() {
        return answer.holder().map(LockHolder::instance);
    }

    /** What is left of a minimum time now, if no other answer came. */
    Obstacle after(long now) {
        return remaining()
                .map(rest -> kept(Duration.ofNanos(Math.max(0, rest.toNanos() - (now - seenAt))), now))
                .orElse(this);
    }

    /** Whether the store can grant nothing at the moment. */
    boolean isOutage() {
        return ending instanceof Outcome.Failed;
    }

    /** The owner of the lock, for a message. */
    String holderText() {
        return holder != null
                ? holder.get()
                : answer.holder().map(Obstacle::describe).orElse("another owner");
    }

    /** How a wait ends that can last no longer. */
    Outcome outcome() {
        return ending == null ? new Outcome.Busy(this) : ending;
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

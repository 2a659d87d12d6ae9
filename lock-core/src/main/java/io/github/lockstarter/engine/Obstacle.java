package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Why a lock is not granted, by the last answer of the store or by a hold of this instance.
 *
 * @param kind which
 * @param remaining how long that lasts at most; empty if it does not end by itself
 * @param ending how a wait ends that can last no longer; empty if another owner has the lock, or it is kept
 * @param holder describes the owner of the lock, as far as it is known
 * @param lookAgain when to look again at the latest, however long it lasts; empty if it does not matter
 * @param instance the one that has the lock, if the store knows it
 */
record Obstacle(
        Kind kind,
        Optional<Duration> remaining,
        Optional<Outcome> ending,
        Optional<Supplier<String>> holder,
        Optional<Duration> lookAgain,
        Optional<String> instance) {

    enum Kind {
        /** Another owner. */
        OWNER,
        /** The rest of the minimum time that the last owner left. */
        KEPT,
        /** The store may have forgotten locks and grants none for a while. */
        RECOVERY,
        /** The store can grant nothing at the moment. */
        OUTAGE
    }

    private static Obstacle of(Kind kind, Optional<Duration> remaining, Optional<Outcome> ending) {
        return new Obstacle(kind, remaining, ending, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Another caller of this instance, which has just been granted the lock. */
    static Obstacle owner(Duration lease) {
        return of(Kind.OWNER, Optional.of(lease), Optional.empty());
    }

    /** A hold of this instance. */
    static Obstacle heldHere(Duration remaining, Supplier<String> holder) {
        return new Obstacle(
                Kind.OWNER,
                Optional.of(remaining),
                Optional.empty(),
                Optional.of(holder),
                Optional.empty(),
                Optional.empty());
    }

    /** Another owner, perhaps of another instance; the store may know its name. */
    static Obstacle heldElsewhere(AcquireResult.Contended answer) {
        return new Obstacle(
                answer.kept() ? Kind.KEPT : Kind.OWNER,
                answer.remainingLease(),
                Optional.empty(),
                answer.holder().map(owner -> () -> describe(owner)),
                answer.kept() ? Optional.empty() : answer.lookAgain(),
                answer.kept() ? Optional.empty() : answer.holder().map(LockHolder::instance));
    }

    /** The lock is kept for the rest of its minimum time. */
    static Obstacle kept(Duration rest) {
        return of(Kind.KEPT, Optional.of(rest), Optional.empty());
    }

    static Obstacle unavailable(Outcome.Failed failure) {
        return of(Kind.OUTAGE, Optional.empty(), Optional.of(failure));
    }

    static Obstacle recovering(AcquireResult.Recovering answer) {
        return of(Kind.RECOVERY, Optional.of(answer.retryAfter()), Optional.of(new Outcome.Recovering(answer)));
    }

    /** What is left of it after a wait that no answer interrupted. */
    Obstacle after(long nanos) {
        return new Obstacle(
                kind,
                remaining.map(left -> Duration.ofNanos(Math.max(0, left.toNanos() - nanos))),
                ending,
                holder,
                lookAgain,
                instance);
    }

    boolean isKept() {
        return kind == Kind.KEPT;
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

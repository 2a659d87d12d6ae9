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
 * Why a lock is not granted, by the store's last answer or a hold of this instance.
 *
 * @param answer of the store, or its equivalent for a hold of this instance
 * @param ending outcome of a wait that is over; null for {@link WaitOutcome.Busy}
 * @param holder describes this instance's hold; null for an answer of the store
 * @param permits the answered attempt was for slots below this; others may have asked for fewer. An
 *     owner that excludes a reader excludes a writer, too
 * @param seenAt monotonic time before that attempt was sent; the lock may be free for a later caller
 */
record Obstacle(
        AcquireResult.Contended answer,
        @Nullable WaitOutcome ending,
        @Nullable Supplier<String> holder,
        int permits,
        long seenAt) {

    /** The release signalled another instance, about whose lease nothing is known. */
    static final Obstacle ELSEWHERE = new Obstacle(lasting(Optional.empty()), null, null, 0, 0);

    static Obstacle heldHere(Duration remaining, Supplier<String> holder) {
        return new Obstacle(lasting(Optional.of(remaining)), null, holder, 0, 0);
    }

    static Obstacle kept(Duration rest) {
        AcquireResult.Contended kept =
                new AcquireResult.Contended(Optional.of(rest), Waiting.NEW, Optional.empty(), true);
        return new Obstacle(kept, null, null, 0, 0);
    }

    /** Null for a grant, or an answer that does not concern the lock. */
    static @Nullable Obstacle of(AcquireResult answer, int permits, long seenAt) {
        if (answer instanceof AcquireResult.Contended contended) {
            return new Obstacle(contended, null, null, permits, seenAt);
        }
        if (answer instanceof AcquireResult.Recovering recovering) {
            WaitOutcome ending = new WaitOutcome.Recovering(recovering);
            return new Obstacle(lasting(Optional.of(recovering.retryAfter())), ending, null, permits, seenAt);
        }
        if (answer instanceof AcquireResult.Unavailable unavailable) {
            WaitOutcome ending = new WaitOutcome.Failed(true, unavailable.reason(), unavailable.cause());
            return new Obstacle(lasting(Optional.empty()), ending, null, permits, seenAt);
        }
        return null;
    }

    private static AcquireResult.Contended lasting(Optional<Duration> remaining) {
        return new AcquireResult.Contended(remaining, Waiting.NEW);
    }

    /** Whether the lock is free but kept for its minimum hold. */
    boolean isKept() {
        return answer.kept();
    }

    /** Longest remaining time; empty if unknown. */
    Optional<Duration> remaining() {
        return answer.remainingLease();
    }

    /** Latest time for the next look, from the store; empty if none. */
    Optional<Duration> lookAgain() {
        return isKept() ? Optional.empty() : answer.lookAgain();
    }

    /** If the store names it. */
    Optional<String> instance() {
        return answer.holder().map(LockHolder::instance);
    }

    /** The rest of a minimum hold by then. */
    Obstacle at(long now) {
        return !isKept()
                ? this
                : remaining()
                        .map(rest -> rest.minusNanos(now - seenAt))
                        .map(rest -> kept(rest.isNegative() ? Duration.ZERO : rest))
                        .orElse(this);
    }

    boolean isOutage() {
        return ending instanceof WaitOutcome.Failed;
    }

    String holderText() {
        return holder != null
                ? holder.get()
                : answer.holder().map(Obstacle::describe).orElse("another owner");
    }

    WaitOutcome outcome() {
        return ending == null ? new WaitOutcome.Busy(this) : ending;
    }

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

package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One caller that wants one key. Data: all mutable fields but {@link #forsaken} are guarded by its {@link KeyLock},
 * which decides {@link #decided} once; {@link #outcome} is completed with it after the monitor is left.
 */
final class Waiter {

    /** Where it stands; set before it joins. */
    volatile KeyLock lock;

    final ResolvedRequest terms;
    final HoldOwner owner;
    final long startedAt;

    /** Completed with what was decided. */
    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    /** Set without a call by a caller whose stack or memory is at an end: it never takes what it is granted. */
    volatile boolean forsaken;

    @Nullable
    Outcome decided;

    /** Made by its caller before it takes the hold, which the caller's thread may enter again from then on. */
    @Nullable
    Handle handle;

    /** Attempts at the store. */
    int attempts;

    /** Whether it had to wait. */
    boolean hadToWait;

    /** The number of the first attempt whose answer counts for it. */
    long firstAnswer;

    @Nullable
    Waiter ahead;

    @Nullable
    Waiter behind;

    /** Whether it is in the line of those that wait. */
    boolean isQueued;

    Waiter(KeyLock lock, ResolvedRequest terms, HoldOwner owner, long startedAt) {
        this.lock = lock;
        this.terms = terms;
        this.owner = owner;
        this.startedAt = startedAt;
    }

    boolean waits() {
        return !terms.maxWait().isZero();
    }

    long giveUpAt() {
        return startedAt + terms.maxWait().toNanos();
    }

    boolean isPast(long now) {
        return now - giveUpAt() >= 0;
    }

    Duration waited(long now) {
        return Duration.ofNanos(now - startedAt);
    }

    LockAdmin.Waiter snapshot(long now, int position) {
        return new LockAdmin.Waiter(terms.name(), lock.key, owner.label(), waited(now), position, attempts);
    }
}

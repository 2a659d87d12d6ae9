package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller of one key. Mutable fields that are not volatile are guarded by its {@link KeyLock}, which sets {@link
 * #decided} once; {@link #outcome} is completed with it outside the monitor. After that, the caller reads its counters
 * without the monitor.
 */
final class Waiter {

    /** Set before it joins; replaced while the object is retired. */
    volatile KeyLock lock;

    final ResolvedRequest request;
    final HoldOwner owner;
    final long startedAt;

    final CompletableFuture<WaitOutcome> outcome = new CompletableFuture<>();

    @Nullable
    WaitOutcome decided;

    /** It is counted in its hold, which it has neither taken nor given back. */
    boolean mayTake;

    /** Once it is announced. */
    Hold.@Nullable Entry entry;

    int attempts;

    boolean hadToWait;

    @Nullable
    Waiter ahead;

    @Nullable
    Waiter behind;

    boolean queued;

    Waiter(KeyLock lock, ResolvedRequest request, HoldOwner owner, long startedAt) {
        this.lock = lock;
        this.request = request;
        this.owner = owner;
        this.startedAt = startedAt;
    }

    /** Gets the lock of a ticket: a grant or a refusal to another caller is no answer. */
    boolean attaches() {
        return request.ticket().isPresent();
    }

    /** Whether the obstacle was found during its call, for all slots that it may be granted. */
    boolean accepts(Obstacle seen) {
        return !attaches()
                && seen.seenAt() - startedAt >= 0
                && seen.permits() >= request.slots().end();
    }

    boolean waits() {
        return !request.maxWait().isZero();
    }

    long giveUpAt() {
        return startedAt + request.maxWait().toNanos();
    }

    boolean isPast(long now) {
        return now - giveUpAt() >= 0;
    }

    Duration waited(long now) {
        return Duration.ofNanos(now - startedAt);
    }

    LockAdmin.WaitingCaller snapshot(long now, int position) {
        return new LockAdmin.WaitingCaller(
                request.name(), lock.key, owner.label(), waited(now), position, attempts, request.mode());
    }
}

package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.Slots;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One lock that is held: by its owner, which may enter it several times. Data: the mutable fields are guarded by the
 * {@link KeyLock}, except for {@link #unfinished}, which threads set that can do no more.
 */
final class Hold {

    enum State {
        /** Its owner has it, or is about to get it. */
        HELD,
        /** Its owner has left it; the release follows, or a hand-over. */
        LEAVING,
        /** It was lost before its owner left it. */
        LOST,
        /** Released, or left after its loss. */
        ENDED
    }

    /** A callback of the application. It does not keep the handle reachable: a callback releases nothing. */
    private record LostCallback(WeakReference<Handle> handle, Runnable callback) implements Runnable {

        /** Whether its handle has not left. */
        boolean counts() {
            Handle known = handle.get();
            return known == null || !known.hasLeft();
        }

        @Override
        public void run() {
            if (counts()) {
                callback.run();
            }
        }
    }

    final KeyLock lock;

    /** The next of the holds of this key. */
    @Nullable
    Hold beside;

    final Grant grant;
    final long fencingToken;
    final HoldOwner owner;
    final long grantedAt;
    final long grantedAtWallMillis;

    State state = State.HELD;

    /** What it was asked for, and from the latest extension on what that asked for. */
    ResolvedRequest terms;

    Deadline deadline;
    int entries = 1;

    long renewAt;
    int renewals;
    int failedRenewals;

    @Nullable
    LossCause lossCause;

    /** Completed with the answer to its release, if an operator takes it away. */
    @Nullable
    CompletableFuture<ReleaseResult> revocation;

    /** Whether it was lost, and its release was sent. */
    boolean isReleaseSent;

    /** Whether a renewal is under way after which the lock is handed over to a waiter that is not renewed. */
    boolean isArming;

    /** Whether the answer to a confirmation is awaited. */
    boolean isConfirming;

    /** Its owner asked for more time: the lease may be another than its terms say. */
    boolean isExtended;

    /** Longest lease that the store may have been asked for. */
    Duration longestLease;

    /** Minimum time of the lock from its grant. */
    Duration atLeast = Duration.ZERO;

    /** Whether the grant was reported to listeners: a grant that no caller took is not. */
    boolean isAnnounced;

    boolean isLossReported;
    boolean isReportedAbandoned;
    boolean isReportedHeldLong;

    /** Until when a lost hold is remembered for its thread. */
    long forgetAt;

    /** The waiter until its caller has taken the hold; then a handle; null once it was given back untaken. */
    @Nullable
    Object claim;

    /** The handles whose release was begun by a thread that could not go on, the latest first. */
    volatile @Nullable Handle unfinished;

    private List<LostCallback> callbacks = List.of();
    private @Nullable CompletableFuture<ReleaseOutcome> ended;

    Hold(Waiter waiter, Grant grant, long fencingToken, Deadline deadline, long renewAt, Deadline.Moment now) {
        this.lock = waiter.lock;
        this.grant = grant;
        this.fencingToken = fencingToken;
        this.owner = waiter.owner;
        this.terms = waiter.terms;
        this.claim = waiter;
        this.deadline = deadline;
        this.renewAt = renewAt;
        this.grantedAt = now.nanos();
        this.grantedAtWallMillis = now.wallMillis();
        this.longestLease = terms.lease();
    }

    /** Completed with what became of the release. */
    CompletableFuture<ReleaseOutcome> ended() {
        if (ended == null) {
            ended = new CompletableFuture<>();
        }
        return ended;
    }

    Duration held(long now) {
        return Duration.ofNanos(now - grantedAt);
    }

    boolean isPastMaxHold(long now) {
        Optional<Duration> maxHold = terms.maxHold();
        return maxHold.isPresent() && isRenewed() && held(now).compareTo(maxHold.get()) >= 0;
    }

    boolean isRenewed() {
        return terms.renewal() == io.github.lockstarter.Renewal.ON;
    }

    /** Whether another hold of this instance had the lock right before, and no other instance in between. */
    boolean wasHandedOver() {
        return fencingToken != grant.firstFencingToken;
    }

    /** When it begins to last long; never if that is not reported. */
    long longFrom() {
        return terms.warnAfter().isZero() || isReportedHeldLong
                ? Long.MAX_VALUE
                : grantedAt + terms.warnAfter().toNanos();
    }

    RenewCommand renewCommand(Duration lease) {
        return new RenewCommand(lock.key, grant.token, lease, grant.lastFencingToken(), grant.slot);
    }

    ReleaseCommand releaseCommand(Wait ownWait) {
        return new ReleaseCommand(
                lock.key,
                grant.token,
                grant.lastFencingToken(),
                ownWait,
                isKept() ? atLeast : Duration.ZERO,
                Slots.one(grant.slot));
    }

    /** Whether the release keeps the lock for a minimum time. What was taken away is to be free. */
    boolean isKept() {
        return !atLeast.isZero() && lossCause != LossCause.REVOKED;
    }

    /** A caller gets a handle, and asked for this minimum time. */
    void keepFor(Duration minimum) {
        if (!minimum.isZero()) {
            keepFrom(minimum, wasHandedOver() ? grantedAt : grant.askedAt);
        }
    }

    private void keepFrom(Duration minimum, long from) {
        Duration sinceGrant = minimum.plusNanos(from - grant.askedAt);
        atLeast = sinceGrant.compareTo(atLeast) > 0 ? sinceGrant : atLeast;
    }

    /** The store gave it the lease of these terms: they hold from now on, and the minimum time if it is the longer. */
    void continueOn(LockRequest asked, long now) {
        asked.atLeast().filter(minimum -> !minimum.isZero()).ifPresent(minimum -> keepFrom(minimum, now));
        terms = terms.continuedOn(asked, held(now));
    }

    /** As operators see it. */
    HeldLock snapshot(Deadline.Moment now) {
        return new HeldLock(
                terms.name(),
                lock.key,
                grant.slot,
                fencingToken,
                owner.label(),
                Instant.ofEpochMilli(grantedAtWallMillis),
                held(now.nanos()),
                state == State.HELD ? deadline.remaining(now) : Duration.ZERO,
                Math.max(1, entries),
                renewals,
                fencingToken - grant.firstFencingToken,
                grant.isCertain(now) ? HoldState.HELD : HoldState.IN_DOUBT,
                grant.takenOverFrom);
    }

    // Callbacks

    void addCallback(Handle handle, Runnable callback) {
        LostCallback added = new LostCallback(new WeakReference<>(handle), callback);
        callbacks = Stream.concat(callbacks.stream().filter(LostCallback::counts), Stream.of(added))
                .toList();
    }

    boolean hasCallbacks() {
        return callbacks.stream().anyMatch(LostCallback::counts);
    }

    /** To be run at the loss; each is given out once. */
    List<? extends Runnable> takeCallbacks() {
        List<LostCallback> taken = callbacks;
        callbacks = List.of();
        return taken;
    }

    // Reachability

    /**
     * Whether no handle can be reached, so that no code can release it. The first look only begins to watch: what is
     * released before needs no weak reference.
     */
    boolean isUnreachable() {
        if (claim instanceof Handle handle) {
            claim = new WeakReference<>(handle);
            return false;
        }
        return claim instanceof WeakReference<?> handles && handles.refersTo(null);
    }

    /** The first of its handles, if one can be reached. */
    @Nullable
    Handle firstHandle() {
        if (claim instanceof WeakReference<?> handles) {
            return (Handle) handles.get();
        }
        if (claim instanceof Waiter waiter) {
            return waiter.handle;
        }
        return claim instanceof Handle handle ? handle : null;
    }
}

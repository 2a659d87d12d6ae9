package io.github.lockstarter.engine.hold;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.engine.timer.TimerEntry;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.RenewCommand;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One lock that is held: what was granted, its {@link HoldLifecycle}, and its place on the timer. Does no I/O: the
 * watchdog renews it, the releaser ends it, {@link LossDetector} signals its loss.
 *
 * <p>Mutable: {@link #lifecycle} (atomic); {@link #lostCallbacks} (an immutable list, replaced atomically; each
 * callback is taken out exactly once); {@link #ended()} (made once, atomically); {@link #announced} (set once, before
 * the owner gets its handle); {@link #atLeast} (raised when a caller gets a handle, atomically); {@link #isConfirming}
 * (set by the timer's thread); {@link #extended} (set by the first extension, before it is written); {@link #terms}
 * (replaced when an extension is granted; of two at a time, the later answer counts); {@link #lossReported} and {@link
 * #forgetAt} (set once, at the loss); {@link #longestLease}, {@link #renewAt}, {@link #renewals} and {@link
 * #failedRenewals} (set by the thread that handles a renewal; a lost update costs a count in a report or a repeated
 * command, never correctness); {@link #claim} (atomic: from the claimant to its handle or to null, if its caller cannot
 * take it; to a weak reference at the watchdog's first look; to a handle again by a nested entry); {@link #unfinished}
 * (a list that threads add to that cannot release, and that the timer's thread empties); {@link #isReportedAbandoned}
 * and {@link #isReportedHeldLong} (set once, by the timer's thread).
 */
public final class Hold extends TimerEntry {

    /**
     * What one hold is given of what the backend granted.
     *
     * @param key the lock's key
     * @param grant what the backend granted
     * @param fencingToken the hold's own fencing token
     * @param deadline the end of the lease
     * @param renewAt monotonic time of the first renewal
     */
    public record Spec(String key, Grant grant, long fencingToken, Deadline deadline, long renewAt) {

        /** The first hold of a grant, whose attempt was sent at the given moment. */
        public static Spec first(String key, Grant grant, Moment sent, ResolvedRequest terms) {
            return new Spec(
                    key,
                    grant,
                    grant.firstFencingToken,
                    Deadline.of(sent, terms.leaseNanos()),
                    terms.renewAt(sent.nanos()));
        }
    }

    /** What can still end a hold: its claimant until the caller has taken the hold, and from then on the handles. */
    interface Claim {

        /** The hold's first handle; null if there is none yet, or none can be reached. */
        @Nullable
        HoldHandle first();
    }

    /** The caller that a hold is made for, until it has taken the hold. */
    public interface Claimant extends Claim {

        /** What the caller asked for. */
        ResolvedRequest terms();

        /** The owner of the hold. */
        HoldOwner owner();

        /** Whether the caller's thread failed before it could take the hold. */
        boolean isForsaken();
    }

    /**
     * The handles, for as long as the application can reach one of them: each of them keeps the first one reachable.
     */
    private static final class HandlesClaim extends WeakReference<HoldHandle> implements Claim {

        HandlesClaim(HoldHandle first) {
            super(first);
        }

        @Override
        public @Nullable HoldHandle first() {
            return get();
        }
    }

    /** It does not keep the handle reachable: a callback releases nothing. */
    private record LostCallback(WeakReference<HoldHandle> handle, Runnable callback) {}

    // Many holds are kept at a time: what most of them never need has no object of its own.
    @SuppressWarnings("rawtypes") // there is no class of a parametrised type
    private static final AtomicReferenceFieldUpdater<Hold, List> CALLBACKS =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, List.class, "lostCallbacks");

    @SuppressWarnings("rawtypes") // as above
    private static final AtomicReferenceFieldUpdater<Hold, @Nullable CompletableFuture> ENDED =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, CompletableFuture.class, "ended");

    private static final AtomicIntegerFieldUpdater<Hold> LOSS_REPORTED =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "lossReported");
    private static final AtomicReferenceFieldUpdater<Hold, @Nullable HoldHandle> UNFINISHED =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, HoldHandle.class, "unfinished");
    private static final AtomicReferenceFieldUpdater<Hold, Duration> AT_LEAST =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Duration.class, "atLeast");
    private static final AtomicReferenceFieldUpdater<Hold, @Nullable Claim> CLAIM =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Claim.class, "claim");

    public final String key;
    public final Grant grant;
    public final long fencingToken;
    public final HoldOwner owner;
    public final HoldLifecycle lifecycle;

    private final EngineClock clock;
    private final Consumer<Hold> onTimer;
    private final long grantedAt;

    /** The same moment by the wall clock, for people. */
    private final long grantedAtWallMillis;

    private volatile List<LostCallback> lostCallbacks = List.of();
    private volatile @Nullable CompletableFuture<ReleaseOutcome> ended;

    private volatile long renewAt;
    private volatile int renewals;
    private volatile int failedRenewals;

    /** What it was asked for, and from the latest extension on what that asked for. */
    public volatile ResolvedRequest terms;

    /** Longest lease that the backend may have been asked for. */
    public volatile Duration longestLease;

    /** Minimum time of the lock from its grant: what the caller with a handle that asked for the longest needs. */
    private volatile Duration atLeast = Duration.ZERO;

    /**
     * Whether its owner asked for more time: the lease may be another than its terms say, and an answer be under way.
     */
    public volatile boolean extended;

    /** Whether the answer to a confirmation is awaited; set by the timer's thread, taken back with the answer. */
    public volatile boolean isConfirming;

    /** Monotonic time until which a lost hold is remembered for its thread; 0 before its loss is signalled. */
    public volatile long forgetAt;

    /**
     * 1 once the loss was reported to listeners. The thread that signals it and the thread that announces the hold look
     * at each other's mark.
     */
    private volatile int lossReported;

    /** Whether the grant was reported to listeners: a grant that no caller took is not. */
    public volatile boolean announced;

    /** What can still end it; null once it was given back untaken. Changed by its updater. */
    private volatile @Nullable Claim claim;

    /** Whether it was reported that no code can release it; belongs to the timer's thread. */
    public boolean isReportedAbandoned;

    /** Whether it was reported that it lasts long; set by the timer's thread. */
    private volatile boolean isReportedHeldLong;

    /** The handles whose release was begun by a thread that could not go on, the latest first. */
    public volatile @Nullable HoldHandle unfinished;

    public Hold(Spec spec, Claimant claimant, EngineClock clock, Consumer<Hold> onTimer) {
        this.key = spec.key();
        this.grant = spec.grant();
        this.fencingToken = spec.fencingToken();
        this.terms = claimant.terms();
        this.owner = claimant.owner();
        this.claim = claimant;
        this.clock = clock;
        this.onTimer = onTimer;
        this.grantedAt = clock.nanos();
        this.grantedAtWallMillis = clock.wallMillis();
        this.longestLease = terms.lease();
        this.renewAt = spec.renewAt();
        this.lifecycle = new HoldLifecycle(clock, spec.deadline());
    }

    @Override
    public void fire() {
        onTimer.accept(this);
    }

    /** The caller takes what was granted to it. False if it was given back. */
    public boolean take(Claimant claimant, HoldHandle handle) {
        return CLAIM.compareAndSet(this, claimant, handle);
    }

    /** The claimant does not take it. True for the one caller that has to exit in its place. */
    public boolean giveBack(Claimant claimant) {
        return CLAIM.compareAndSet(this, claimant, null);
    }

    /** The claimant, if its thread failed before it could take the hold. */
    public Optional<Claimant> forsakenBy() {
        return claim instanceof Claimant claimant && claimant.isForsaken() ? Optional.of(claimant) : Optional.empty();
    }

    /**
     * The list of {@link #unfinished} handles is completed up to this one. A handle that is added meanwhile stays on
     * it.
     */
    public void finished(HoldHandle latest) {
        UNFINISHED.compareAndSet(this, latest, null);
    }

    /** Whether the application wants to hear of the loss. */
    public boolean hasLostCallbacks() {
        return !lostCallbacks.isEmpty();
    }

    /**
     * Whether no handle can be reached, so that no code can release it. The first look only begins to watch: what is
     * released before needs no weak reference.
     */
    public boolean isUnreachable() {
        Claim known = claim;
        if (known instanceof HoldHandle handle) {
            CLAIM.compareAndSet(this, known, new HandlesClaim(handle));
        }
        return known instanceof HandlesClaim handles && handles.refersTo(null);
    }

    /** One handle more, for an entry that follows. Called by the owner's thread only. */
    public HoldHandle nested(HoldOperations operations) {
        Claim known = claim;
        HoldHandle first = known == null ? null : known.first();
        HoldHandle handle = new HoldHandle(this, operations, first);
        if (first == null && known instanceof HandlesClaim) {
            CLAIM.compareAndSet(this, known, handle);
        }
        return handle;
    }

    public boolean isRenewed() {
        return terms.renewal() == Renewal.ON;
    }

    /** Its lease is extended no more, unless its owner asks for that. */
    public void endRenewals() {
        terms = terms.withoutRenewal();
    }

    /**
     * When to look at it: at the given time, or sooner, when it begins to last long. If that has passed and its caller
     * does not have it yet, there is nothing to report sooner.
     */
    public long lookBy(long latest) {
        long longFrom = longFrom();
        boolean reports = !isReportedHeldLong && !terms.warnAfter().isZero();
        return reports && longFrom - latest < 0 && (announced || longFrom - clock.nanos() > 0) ? longFrom : latest;
    }

    /** Whether the caller is the one that reports that it lasts long: once, and not before its caller has it. */
    public boolean claimHeldLongReport(long now) {
        boolean claimed = !isReportedHeldLong && announced && !terms.warnAfter().isZero() && now - longFrom() >= 0;
        isReportedHeldLong |= claimed;
        return claimed;
    }

    private long longFrom() {
        return grantedAt + terms.warnAfter().toNanos();
    }

    /** Monotonic time of the next renewal. */
    public long renewAt() {
        return renewAt;
    }

    /** How many renewals in a row did not come through. */
    int failedRenewals() {
        return failedRenewals;
    }

    public void renewNextAt(long nanos) {
        renewAt = nanos;
    }

    public void renewalSucceeded(long nextAt) {
        int before = renewals;
        renewals = before + 1;
        failedRenewals = 0;
        renewAt = nextAt;
    }

    public void renewalFailed() {
        int before = failedRenewals;
        failedRenewals = before + 1;
    }

    public Duration held() {
        return Duration.ofNanos(clock.nanos() - grantedAt);
    }

    public Duration remainingLease() {
        return lifecycle.deadline().remaining(clock);
    }

    /** Whether another hold of this instance had the lock right before, and no other instance in between. */
    public boolean wasHandedOver() {
        return fencingToken != grant.firstFencingToken;
    }

    public RenewCommand renewCommand(Duration lease) {
        return new RenewCommand(key, grant.token, lease, grant.lastFencingToken);
    }

    public ReleaseCommand releaseCommand(Optional<Duration> requeue) {
        Duration kept = isKept() ? atLeast : Duration.ZERO;
        return new ReleaseCommand(key, grant.token, grant.lastFencingToken, requeue, kept);
    }

    /** A caller gets a handle: the release keeps the lock for the minimum time that the caller asked for, or longer. */
    void keepFor(Duration minimum) {
        if (!minimum.isZero()) {
            keepFor(minimum, wasHandedOver() ? grantedAt : grant.askedAt);
        }
    }

    /** The minimum time begins then; the store counts from the grant, which is not older than its attempt. */
    private void keepFor(Duration minimum, long from) {
        Duration sinceGrant = minimum.plusNanos(from - grant.askedAt);
        Duration known = atLeast;
        while (sinceGrant.compareTo(known) > 0 && !AT_LEAST.compareAndSet(this, known, sinceGrant)) {
            known = atLeast;
        }
    }

    /** The caller does not take its handle, and no other has one: nothing ran under the lock. */
    void keepNothing() {
        atLeast = Duration.ZERO;
    }

    /**
     * Whether the release keeps the lock for a minimum time, if the store still has it for this hold. What was taken
     * away is to be free.
     */
    public boolean isKept() {
        return !atLeast.isZero() && !(lifecycle.isLost() && lossCause() == LossCause.REVOKED);
    }

    /** The store gave it the lease of these terms: they hold from now on, and the minimum time if it is the longer. */
    public void continueOn(LockRequest asked) {
        asked.atLeast().filter(minimum -> !minimum.isZero()).ifPresent(minimum -> keepFor(minimum, clock.nanos()));
        terms = terms.continuedOn(asked, held());
    }

    /** Whether it is held, and no other owner can have taken it over. */
    public boolean isCertain() {
        return lifecycle.isHeld() && grant.certainty.isCertain();
    }

    /** Whether no other owner can have taken it over, held or not. */
    public boolean isCertainlyNotTakenOver() {
        return grant.certainty.isCertain();
    }

    /** Why the store answers that the lock token does not have the lock. */
    public LossCause causeOfRefusal() {
        return isCertainlyNotTakenOver() ? LossCause.OWNER_CHANGED : LossCause.TAKEN_OVER;
    }

    /** Why it was lost; only of a lost hold. */
    public LossCause lossCause() {
        return lifecycle.lossCause();
    }

    /** Completed with what became of the release. */
    public CompletableFuture<ReleaseOutcome> ended() {
        CompletableFuture<ReleaseOutcome> known = ended;
        if (known != null) {
            return known;
        }
        CompletableFuture<ReleaseOutcome> first = new CompletableFuture<>();
        return ENDED.compareAndSet(this, null, first) ? first : ended();
    }

    /** Whether the caller is the one that reports the loss. */
    boolean claimLossReport() {
        return lossReported == 0 && LOSS_REPORTED.compareAndSet(this, 0, 1);
    }

    /** The callback runs at the loss, or now if that has happened; not once its handle has left. */
    void onLost(HoldHandle handle, Runnable callback, EventDispatcher events) {
        LostCallback added = new LostCallback(new WeakReference<>(handle), callback);
        replaceCallbacks(
                known -> Stream.concat(known.stream(), Stream.of(added)).toList());
        if (lifecycle.isLost()) {
            runLostCallbacks(events);
        } else if (handle.hasLeft()) {
            forgetCallbacksOf(handle);
        }
    }

    void forgetCallbacksOf(HoldHandle handle) {
        if (!lostCallbacks.isEmpty()) {
            replaceCallbacks(known ->
                    known.stream().filter(each -> !each.handle.refersTo(handle)).toList());
        }
    }

    void runLostCallbacks(EventDispatcher events) {
        for (LostCallback each : replaceCallbacks(known -> List.of())) {
            events.callback(() -> {
                HoldHandle handle = each.handle.get();
                if (handle == null || !handle.hasLeft()) {
                    each.callback.run();
                }
            });
        }
    }

    private List<LostCallback> replaceCallbacks(UnaryOperator<List<LostCallback>> change) {
        while (true) {
            List<LostCallback> known = lostCallbacks;
            if (CALLBACKS.compareAndSet(this, known, change.apply(known))) {
                return known;
            }
        }
    }

    HeldLock snapshot() {
        int holds = Math.max(1, lifecycle.holds());
        return new HeldLock(
                terms.name(),
                key,
                fencingToken,
                owner.label(),
                Instant.ofEpochMilli(grantedAtWallMillis),
                held(),
                remainingLease(),
                holds,
                renewals,
                fencingToken - grant.firstFencingToken,
                grant.certainty.isCertain() ? HoldState.HELD : HoldState.IN_DOUBT,
                grant.takenOverFrom);
    }
}

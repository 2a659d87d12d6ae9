package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.Slots;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A held lock, which its owner may enter several times, or which readers share. Mutable fields are changed only by
 * {@link HeldSlots}, under the monitor of the {@link KeyLock}. Handles and messages read {@link #request}, {@link
 * #lossCause}, {@link #failedRenewals} and {@link #releaseSent} without it and accept an earlier value.
 */
final class Hold {

    enum State {
        /** Its caller is decided in the same change. If that fails, no caller has it, and it is released. */
        GRANTED,
        HELD,
        /** Its owner has left it. Its handover or release is pending. */
        LEAVING,
        /** Its readers have left it, and were told so. Its lock waits for the next reader of this instance. */
        IDLE,
        LOST,
        ENDED
    }

    /** One entry by its owner: what a hold knows of a {@link Handle}. */
    static class Entry {

        final Hold hold;

        /** May enter again; null if only the handle can. */
        final @Nullable Thread thread;

        /** Of the hold; each entry keeps it reachable. Set under the monitor. */
        @Nullable
        Entry first;

        /** Set under the monitor of the {@link KeyLock}, just before the entry is counted down. */
        volatile boolean hasLeft;

        /** Applies to the hold when the owner records a success. Set under the monitor. */
        volatile Duration minHoldAfterSuccess = Duration.ZERO;

        Entry(Hold hold, @Nullable Thread thread) {
            this.hold = hold;
            this.thread = thread;
        }
    }

    /** The last ones run when the first ones of their owner have returned. */
    enum CallbackTurn {
        FIRST,
        LAST
    }

    /** Keeps no {@link Handle} reachable, since callbacks cannot release. */
    record LostCallback(WeakReference<Entry> entry, CallbackTurn turn, Runnable callback) implements Runnable {

        /** Thread or entry: readers that share a hold do not wait for each other. */
        Object owner() {
            Entry known = entry.get();
            return known == null ? entry : known.thread == null ? known : known.thread;
        }

        /** Unless its entry has left since the loss. */
        @Override
        public void run() {
            Entry known = entry.get();
            if (known == null || !known.hasLeft) {
                callback.run();
            }
        }
    }

    private static final ReleaseResult UNPROCESSED =
            new ReleaseResult.Unknown(KeyLock.FAILED, new IllegalStateException(KeyLock.FAILED));

    final KeyLock lock;

    /** Of the same key, in a higher slot. */
    @Nullable
    Hold next;

    final Grant grant;
    final long fencingToken;

    /** Of a shared hold, its first one. */
    final HoldOwner owner;

    final long grantedAt;
    final long grantedAtWallMillis;

    State state = State.GRANTED;

    /** Replaced by each extension. */
    ResolvedRequest request;

    Deadline deadline;
    int entries;

    long renewAt;
    private int renewals;
    int failedRenewals;

    @Nullable
    LossCause lossCause;

    /** Completed by the answer to the release of a revoked hold. */
    @Nullable
    CompletableFuture<ReleaseResult> revocation;

    boolean releaseSent;

    /** What its owner sends instead of a release. */
    @Nullable
    Detachment detachment;

    boolean confirming;

    /** Until the store's answer, which may have been lost: the lock is written or read. */
    @Nullable
    Downgrade downgrade;

    /** A downgrade was not answered: the store may still execute it. */
    boolean downgradeMayBeLate;

    /** Whatever the terms are. Written without the monitor if a release failed. */
    volatile boolean renewalEnded;

    /** The lease may differ from the terms. */
    private boolean extended;

    Duration longestLease;

    /** Counted from {@link Grant#requestedAt}. */
    private Duration minHold = Duration.ZERO;

    boolean announced;

    boolean lossReported;
    boolean reportedAbandoned;

    /** Age of the next report of a long hold; doubled by each. */
    private long reportAfterNanos;

    /** Monotonic time until which an idle hold waits for a reader, or a lost one for its thread. */
    long keptUntil;

    /** Callers that are counted and have neither taken it nor given it back. */
    int untaken;

    /**
     * The first reachable {@link Entry}, or a {@code WeakReference<Entry>} once the watchdog watches its reachability;
     * null until the hold is announced. Its thread may enter again from then.
     */
    @Nullable
    Object first;

    /** Of entries that have not left. */
    private final List<LostCallback> callbacks = new ArrayList<>();

    private @Nullable CompletableFuture<ReleaseOutcome> ended;

    /** Follows another hold of the same grant. */
    boolean handedOver;

    /** If readers share it, the number of entries of each thread that may enter again; else null. */
    private @Nullable IdentityHashMap<Thread, Integer> readers;

    Hold(Waiter waiter, Grant grant, long fencingToken, Deadline deadline, long renewAt, Deadline.Moment now) {
        this.lock = waiter.lock;
        this.grant = grant;
        this.fencingToken = fencingToken;
        this.owner = waiter.owner;
        this.request = waiter.request;
        this.deadline = deadline;
        this.renewAt = renewAt;
        this.grantedAt = now.nanos();
        this.grantedAtWallMillis = now.wallMillis();
        this.longestLease = request.lease();
        this.reportAfterNanos = request.warnAfter().toNanos();
        this.readers = request.reads() ? new IdentityHashMap<>(2) : null;
    }

    CompletableFuture<ReleaseOutcome> ended() {
        if (ended == null) {
            ended = new CompletableFuture<>();
        }
        return ended;
    }

    /** The answer to its release could not be processed. Allocates nothing. */
    void endUnknown() {
        if (ended != null) {
            ended.complete(ReleaseOutcome.UNKNOWN);
        }
        if (revocation != null) {
            revocation.complete(UNPROCESSED);
        }
    }

    // Present state

    boolean isHeld() {
        return state == State.HELD;
    }

    /** By the thread, perhaps before the loss. */
    boolean isEnteredBy(HoldOwner other) {
        return (readers == null
                        ? owner.isThread() && owner.thread() == other.thread()
                        : readers.containsKey(other.thread()))
                && announced
                && entries > 0
                && (state == State.HELD || state == State.LOST);
    }

    /** Whether only such threads can release it. */
    boolean isOwnedBy(Predicate<Thread> which) {
        int ofThreads = owner.isThread() ? entries : 0;
        if (readers != null) {
            ofThreads = readers.values().stream().mapToInt(Integer::intValue).sum();
        }
        return entries == ofThreads && threads().allMatch(which);
    }

    /** Those that may enter again. */
    Stream<Thread> threads() {
        return readers == null ? Stream.ofNullable(owner.thread()) : readers.keySet().stream();
    }

    /** Whether the store has given its lock away if the slot is another token's. */
    boolean isExcludedBy(int slot) {
        boolean asWriter = grant.slot == 0 && Slots.OF_READERS.contains(slot) && downgrade == null;
        return grant.slot == slot || asWriter || (slot == 0 && isShared());
    }

    /** Whether readers share it, each with its own handle. */
    boolean isShared() {
        return readers != null;
    }

    /** Whether another reader may have it. */
    boolean takesReaders(Deadline.Moment now) {
        return isShared()
                && isRenewed() // otherwise the reader needs a whole lease
                && !deadline.isOver(now)
                && grant.allowsReader(request, now.nanos(), lock.running.limits);
    }

    /** Whether it may outlast its readers. */
    boolean mayIdle(Deadline.Moment now) {
        return takesReaders(now)
                && !grant.isWanted()
                && !extended
                && !grant.revoked
                && downgrade == null
                && grant.renewing == 0;
    }

    void add(Entry entry) {
        if (readers != null && entry.thread != null) {
            readers.merge(entry.thread, 1, Integer::sum);
        }
        Entry known = firstEntry();
        entry.first = known == null ? entry : known;
        first = known == null ? entry : first;
    }

    /** With its callbacks: once its handle is collected, they could not tell that it has left. */
    void remove(Entry entry) {
        if (!callbacks.isEmpty()) {
            callbacks.removeIf(each -> each.entry.refersTo(entry));
        }
        if (readers != null && entry.thread != null) {
            readers.computeIfPresent(entry.thread, (thread, entries) -> entries == 1 ? null : entries - 1);
        }
    }

    /** Its thread has detected the loss. */
    void forget(Thread reader) {
        if (readers != null) {
            readers.remove(reader);
        }
    }

    /** Its entries read from now on. */
    void share() {
        readers = new IdentityHashMap<>(2);
        if (owner.thread() != null) {
            readers.put(owner.thread(), entries);
        }
        request = request.reading();
    }

    Duration held(long now) {
        return Duration.ofNanos(now - grantedAt);
    }

    /** For callers of this JVM. */
    Obstacle obstacle(Deadline.Moment now) {
        return Obstacle.heldHere(
                isHeld() ? deadline.remaining(now) : request.lease(),
                () -> Obstacle.describe(owner.label(), held(lock.running.now().nanos())));
    }

    boolean isPastMaxHold(long now) {
        Optional<Duration> maxHold = request.maxHold();
        return maxHold.isPresent() && isRenewed() && held(now).compareTo(maxHold.get()) >= 0;
    }

    boolean isRenewed() {
        return !renewalEnded && request.isRenewed();
    }

    /** Limits of renewals are checked here; {@link HeldSlots#expire} names a loss by them. */
    boolean mayBeRenewed(long now) {
        return isRenewed() && downgrade == null && !isPastMaxHold(now);
    }

    void extendedBy(Duration lease) {
        extended = true;
        longestLease = lease.compareTo(longestLease) > 0 ? lease : longestLease;
    }

    void renewed(Deadline later, long renewNextAt) {
        deadline = later.isAfter(deadline) ? later : deadline;
        renewals++;
        failedRenewals = 0;
        renewAt = renewNextAt;
    }

    long nextLookAt(Deadline.Moment now) {
        boolean renews = mayBeRenewed(now.nanos()) && renewAt - deadline.nanos() < 0;
        long latest = renews ? renewAt : deadline.nanos();
        long heldLongFrom = heldLongFrom();
        boolean toReport = announced || heldLongFrom - now.nanos() > 0;
        return heldLongFrom != Long.MAX_VALUE && toReport ? Math.min(latest, heldLongFrom) : latest;
    }

    /** Whether another owner may follow without a command. */
    boolean mayBeHandedOver() {
        return !extended && !isKept() && !grant.revoked && detachment == null && downgrade == null && readers == null;
    }

    /** Whether lease and fencing tokens suffice for another owner. */
    boolean lastsForHandover(Deadline.Moment now, EngineSettings.Handover limits) {
        return !deadline.isOver(now) && grant.isCertain() && grant.allowsHandover(request, now.nanos(), limits);
    }

    /** Monotonic time of the next report of a long hold; {@code MAX_VALUE} if never. */
    long heldLongFrom() {
        return reportAfterNanos == 0 ? Long.MAX_VALUE : grantedAt + reportAfterNanos;
    }

    /** Skips reports that are overdue, after a pause. */
    void reportedHeldLong(long now) {
        while (grantedAt + reportAfterNanos - now <= 0) {
            reportAfterNanos *= 2;
        }
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
                isKept() ? minHold : Duration.ZERO,
                Slots.one(grant.slot));
    }

    /** A revoked lock is freed at once. */
    boolean isKept() {
        return !minHold.isZero() && lossCause != LossCause.REVOKED;
    }

    /** No effect while another handle has the hold. */
    void dropMinimumHold() {
        if (entries == 1) {
            minHold = Duration.ZERO;
        }
    }

    void keepFor(Entry entry, ResolvedRequest request) {
        if (request.dependsOnSuccess()) {
            entry.minHoldAfterSuccess = request.minHold();
        } else {
            keepFor(request.minHold());
        }
    }

    void keepFor(Duration minimum) {
        if (!minimum.isZero()) {
            minHold = longer(minimum.plusNanos(minHoldFrom() - grant.requestedAt), minHold);
        }
    }

    private long minHoldFrom() {
        return handedOver ? grantedAt : grant.requestedAt;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Applies granted terms from now on; the longer minimum hold wins. */
    void continueOn(Entry entry, LockTerms terms, long now) {
        request = request.continuedOn(terms, held(now));
        Duration sinceEntry = terms.minHold()
                .filter(minimum -> !minimum.isZero())
                .map(minimum -> minimum.plusNanos(now - minHoldFrom()))
                .orElse(Duration.ZERO);
        if (request.dependsOnSuccess()) {
            entry.minHoldAfterSuccess = longer(sinceEntry, entry.minHoldAfterSuccess);
        } else {
            boolean unconditional = terms.minHoldIf() == MinHoldIf.ALWAYS;
            keepFor(unconditional ? longer(sinceEntry, entry.minHoldAfterSuccess) : sinceEntry);
        }
    }

    Duration remaining(Deadline.Moment now) {
        return isHeld() ? deadline.remaining(now) : Duration.ZERO;
    }

    HeldLock snapshot(Deadline.Moment now) {
        Duration held = held(now.nanos());
        Duration left = remaining(now);
        return new HeldLock(
                request.name(),
                lock.key,
                grant.slot,
                fencingToken,
                owner.label(),
                Instant.ofEpochMilli(grantedAtWallMillis),
                held,
                left,
                request.isRenewed() ? request.maxHold() : Optional.of(held.plus(left)),
                Math.max(1, entries),
                renewals,
                fencingToken - grant.firstFencingToken,
                grant.isCertain() ? HoldState.HELD : HoldState.IN_DOUBT,
                grant.takenOverFrom);
    }

    // Callbacks

    void addCallback(Entry entry, CallbackTurn turn, Runnable callback) {
        callbacks.add(new LostCallback(new WeakReference<>(entry), turn, callback));
    }

    boolean hasCallbacks() {
        return !callbacks.isEmpty();
    }

    /** Each runs once. */
    List<LostCallback> takeCallbacks(CallbackTurn turn) {
        List<LostCallback> taken =
                callbacks.stream().filter(each -> each.turn == turn).toList();
        callbacks.removeIf(each -> each.turn == turn);
        return taken;
    }

    // Reachability

    /**
     * Whether no handle is reachable, so no code can release the hold. The first call only begins to watch, so short
     * holds need no weak reference.
     */
    boolean checkUnreachable() {
        if (untaken > 0) {
            return false;
        }
        if (first instanceof Entry entry) {
            first = new WeakReference<>(entry);
            return false;
        }
        return first instanceof WeakReference<?> watched && watched.refersTo(null);
    }

    @Nullable
    Entry firstEntry() {
        return (Entry) (first instanceof WeakReference<?> watched ? watched.get() : first);
    }
}

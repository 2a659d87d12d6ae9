package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Abandonment;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.Hold.CallbackTurn;
import io.github.lockstarter.engine.Hold.Entry;
import io.github.lockstarter.engine.Hold.LostCallback;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Slots of one key that this JVM holds: entries, deadlines, renewals, doubts, losses, minimum holds and releases.
 *
 * <p>A state machine of a {@link KeyLock}, which gives access to it only under its monitor ({@link KeyLock#held()}). It
 * alone changes {@link Hold}s, and no state of the line. To the line it reports that a hold was left ({@link
 * KeyLock#holdLeft}), that a slot is no longer held ({@link KeyLock#slotFreed}), and the answer to a release ({@link
 * KeyLock#released}); it asks the line only whether callers wait and whether the object has failed.
 *
 * <p>A hold is <em>granted</em> until the decision about its caller, in the same change, and then <em>held</em> until
 * its last handle leaves, its lease ends, or the store or an operator ends it. One that was left is handed over at
 * once, or <em>leaving</em> until the answer to its release. A shared one is <em>idle</em> instead for a moment, until
 * the next reader follows, or the lock is wanted or in doubt ({@link KeyLock#mayIdle}). A <em>lost</em> hold never
 * returns; it is remembered until its thread has detected the loss. All end as <em>ended</em>. A release is
 * <em>decided</em> when its command is added to the effects.
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>Each of {@link #holds} is held or idle, or leaving with its release not yet decided. No two share a slot, or
 *       have slots that exclude each other; a new grant ends the older hold.
 *   <li>No release or downgrade is sent while a renewal of its grant, or a downgrade, is unanswered, except by a failed
 *       object, where the answer may have been lost; and no renewal after the release was decided, or until a downgrade
 *       has ended.
 *   <li>Each grant is released once: when its last hold is left, or when that hold is revoked, shut down, or given up
 *       after its loss. The release of a lease that ended, or of a lock that the store no longer had, is left out until
 *       then.
 *   <li>Each loss is reported once, and only of a hold that was announced. The callbacks of a hold run once.
 *   <li>A deadline never moves back, and not after it is over.
 * </ol>
 */
final class HeldSlots {

    /** Minimum time for which a lost hold is remembered for its thread, which is then looked at as often. */
    private static final long MIN_REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

    private static final int RETRIES_PER_LEASE = 6;

    private static final String DOWNGRADING = "a downgrade of it has not ended";

    private static final RenewResult NOT_RENEWED =
            new RenewResult.Unknown(DOWNGRADING, new IllegalStateException(DOWNGRADING));

    private static final long NEVER = Long.MAX_VALUE;

    private final KeyLock lock;

    /** Linked by {@link Hold#next}, ascending by slot. */
    private @Nullable Hold holds;

    /** Lost holds whose threads have not noticed the loss. */
    private List<Hold> lost = List.of();

    /** Lost holds whose locks the store may still have, until their releases are decided. */
    private List<Hold> unreleased = List.of();

    /** Unanswered releases. */
    private int releases;

    /** Those of them that requeue this instance. */
    private int requeueing;

    HeldSlots(KeyLock lock) {
        this.lock = lock;
    }

    // Queries of the line

    /** The lowest slot that this JVM does not hold. */
    int firstFree() {
        int free = 0;
        for (Hold each = holds; each != null && each.grant.slot == free; each = each.next) {
            free++;
        }
        return free;
    }

    /** Why a caller with as many permits cannot be granted a slot; null if one of its slots is not held here. */
    @Nullable
    Obstacle obstacle(int permits, Moment now) {
        return holds != null && permits <= firstFree() ? holds.obstacle(now) : null;
    }

    /** No holds, and no lost ones to remember. */
    boolean isEmpty() {
        return holds == null && lost.isEmpty();
    }

    boolean isReleasing() {
        return releases > 0;
    }

    boolean isRequeueing() {
        return requeueing > 0;
    }

    /** Time of the next {@link #look}; {@code MAX_VALUE} if none. */
    long nextLookAt(Moment now) {
        long next = NEVER;
        for (Hold each = holds; each != null; each = each.next) {
            next = each.isHeld() ? Math.min(next, each.nextLookAt(now)) : next;
            next = each.state == Hold.State.IDLE ? Math.min(next, each.keptUntil) : next;
        }
        for (Hold each : lost) {
            next = Math.min(next, Math.min(each.keptUntil, now.nanos() + MIN_REMEMBERED_NANOS));
        }
        return next;
    }

    // Grants

    Hold granted(Effects todo, Waiter taker, Grant grant, Deadline deadline, long renewAt, Moment now) {
        Hold made = new Hold(taker, grant, grant.firstFencingToken, deadline, renewAt, now);
        add(todo, made);
        return made;
    }

    /** Another hold of the same grant follows a left one; readers keep its fencing token. */
    Hold handOver(Effects todo, Hold left, Waiter successor, Moment now) {
        boolean idle = left.state == Hold.State.IDLE;
        long fencingToken = idle ? left.fencingToken : left.grant.nextFencingToken();
        Hold made = new Hold(successor, left.grant, fencingToken, left.deadline, left.renewAt, now);
        made.handedOver = true;
        if (!idle) {
            end(todo, left, ReleaseOutcome.RELEASED, now); // if it fails, the failed object releases the hold
        }
        remove(left);
        add(todo, made);
        return made;
    }

    private void add(Effects todo, Hold made) {
        link(made);
        lock.running.holdAdded(todo);
    }

    /** Its caller is decided. If the change fails before, the failed object releases it. */
    void begin(Effects todo, Hold made) {
        made.state = Hold.State.HELD;
        if (!made.grant.isSettled()) {
            todo.add(lock.running.watchdog::confirmAll);
        }
    }

    /** Ends the older holds that a slot granted to another token excludes. */
    void supersede(Effects todo, int slot, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            if (each.isExcludedBy(slot)) {
                supersede(todo, each, now);
            }
        }
    }

    private void supersede(Effects todo, Hold earlier, Moment now) {
        if (earlier.isHeld()) {
            lose(todo, earlier, earlier.grant.causeIfGone(), now);
        } else {
            if (earlier.state != Hold.State.IDLE) {
                completeRelease(todo, earlier, new ReleaseResult.NotHeld(), now);
            }
            free(earlier);
            releaseLost(earlier);
        }
    }

    void wanted(long now) {
        for (Hold each = holds; each != null; each = each.next) {
            each.grant.wanted(now);
        }
    }

    /** A hold that the reader may join, or follow if it is idle; null if none. */
    @Nullable
    Hold joinable(ResolvedRequest request, Moment now) {
        return find(each -> (each.isHeld() || each.state == Hold.State.IDLE)
                && each.takesReaders(now)
                && request.mayShare(each.request));
    }

    /** Counts a caller, who takes the hold or gives it back. */
    void join(Hold granted) {
        granted.entries++;
        granted.untaken++;
    }

    // Downgrades

    /** Empty if it is refused. Sent once no renewal is unanswered: that would not find the lock where it is then. */
    Optional<CompletableFuture<AcquireResult>> downgrade(Entry entry) {
        Hold writer = entry.hold;
        if (!writer.isHeld() || writer.isShared() || entry.hasLeft) {
            return Optional.of(CompletableFuture.completedFuture(new AcquireResult.Granted(writer.fencingToken, 0)));
        }
        boolean mayBeKept = writer.isKept() || !entry.minHoldAfterSuccess.isZero();
        if (writer.entries != 1 || writer.request.permits() != 1 || mayBeKept) {
            return Optional.empty();
        }
        Downgrade begun = writer.downgrade;
        if (begun == null || begun.answer.isDone()) {
            begun = new Downgrade(writer);
            writer.downgrade = begun;
        }
        return Optional.of(begun.answer);
    }

    private void dropUnsentDowngrade(Effects todo, Hold writer) {
        Downgrade begun = writer.downgrade;
        if (begun != null && !begun.sent) {
            todo.add(() -> begun.answer.complete(Downgrade.UNSENT));
            writer.downgrade = null;
        }
    }

    /**
     * Without an {@code Unknown}, the answer decides whether the lock is read or as it was. After one, only a grant
     * decides: the store may have executed the unanswered downgrade, or may still do so.
     */
    void downgraded(Effects todo, Hold writer, AcquireResult result, Moment now) {
        writer.grant.renewing--;
        expire(todo, now);
        if (result instanceof AcquireResult.Granted granted) {
            boolean listed = unlink(writer);
            writer.grant.slot = (short) granted.slot();
            if (listed) {
                link(writer);
            }
            if (granted.fencingToken() != writer.grant.firstFencingToken) { // a new grant: the store had lost the lock
                lose(todo, writer, writer.grant.causeIfGone(), now);
            }
            if (writer.isHeld()) {
                writer.share();
                if (granted.othersWaiting() > 0) {
                    writer.grant.wanted(now.nanos());
                }
                lock.downgraded(todo, writer, now);
            }
        }
        writer.downgradeMayBeLate |= result instanceof AcquireResult.Unknown;
        if (result instanceof AcquireResult.Granted || !writer.downgradeMayBeLate) {
            writer.downgrade = null;
        }
    }

    // Entries

    /** The thread's hold, perhaps lost; null if none. */
    @Nullable
    Hold enteredBy(HoldOwner owner) {
        Hold entered = find(each -> each.isEnteredBy(owner));
        for (Hold each : lost) {
            entered = entered == null && each.isEnteredBy(owner) ? each : entered;
        }
        return entered;
    }

    /**
     * Counts an entry and applies its minimum hold if held. The thread of a lost hold detects the loss here. Null if
     * the hold only reads and the request writes.
     */
    Hold.@Nullable State enter(Entry entry, ResolvedRequest request) {
        Hold entered = entry.hold;
        if (entered.isHeld()) {
            if (!request.reads() && (entered.isShared() || entered.downgrade != null)) {
                return null;
            }
            entered.keepFor(entry, request);
            entered.add(entry);
            entered.entries++;
        } else if (entered.isShared()) {
            entered.forget(Thread.currentThread());
        } else if (entered.owner.thread() == Thread.currentThread()) {
            keepLost(each -> each != entered);
        }
        return entered.state;
    }

    /** False if another caller has announced the hold. */
    boolean announce(Entry entry) {
        Hold granted = entry.hold;
        granted.add(entry);
        boolean first = !granted.announced;
        granted.announced = true;
        return first;
    }

    void take(Entry entry, ResolvedRequest request) {
        entry.hold.keepFor(entry, request);
        entry.hold.untaken--;
    }

    void keepFor(Entry entry, ResolvedRequest request) {
        entry.hold.keepFor(entry, request);
    }

    /** A loss is no success. */
    void recordSuccess(Effects todo, Entry entry, Moment now) {
        expire(todo, now);
        if (entry.hold.isHeld()) {
            entry.hold.keepFor(entry.minHoldAfterSuccess);
        }
    }

    void dropMinimumHold(Hold hold) {
        hold.dropMinimumHold();
    }

    /** By a caller that has not taken it, but perhaps announced an entry. */
    void giveBack(Effects todo, Hold granted, @Nullable Entry entry, Moment now) {
        granted.untaken--;
        if (entry != null) {
            entry.hasLeft = true;
            granted.remove(entry);
        }
        expire(todo, now);
        exitEntry(todo, granted, now);
    }

    /** The entry leaves the hold. The result is completed now or by the store's answer. */
    CompletableFuture<ReleaseOutcome> exit(Effects todo, Entry entry, Moment now) {
        Hold left = entry.hold;
        expire(todo, now);
        if (entry.hasLeft) {
            return CompletableFuture.completedFuture(ReleaseOutcome.ALREADY_RELEASED);
        }
        CompletableFuture<ReleaseOutcome> outcome = left.entries == 1
                ? left.ended()
                : CompletableFuture.completedFuture(
                        left.state == Hold.State.LOST ? ReleaseOutcome.LOST : ReleaseOutcome.STILL_HELD);
        entry.hasLeft = true; // a later failure must not count it down twice
        left.remove(entry);
        exitEntry(todo, left, now);
        return outcome;
    }

    /** As {@link #exit}; the lock passes to the ticket. No effect if its thread has entered it again, or it is read. */
    CompletableFuture<ReleaseOutcome> detach(Effects todo, Entry entry, Detachment detachment, Moment now) {
        Hold left = entry.hold;
        if (left.isHeld() && !entry.hasLeft) {
            if (left.entries > 1 || left.isShared() || left.downgrade != null) {
                return CompletableFuture.completedFuture(ReleaseOutcome.STILL_HELD);
            }
            left.detachment = detachment;
        }
        return exit(todo, entry, now);
    }

    private void exitEntry(Effects todo, Hold left, Moment now) {
        left.entries--;
        if (left.entries > 0) {
            return;
        }
        if (left.isHeld()) {
            dropUnsentDowngrade(todo, left);
            left.state = Hold.State.LEAVING;
            if (lock.mayIdle(left, now)) {
                left.keptUntil = Math.min(
                        left.renewAt,
                        now.nanos() + lock.running.limits.maxTime().toNanos());
                end(todo, left, ReleaseOutcome.RELEASED, now); // if it fails, the failed object releases the hold
                left.state = Hold.State.IDLE;
                lock.running.holdRemoved();
            } else {
                lock.holdLeft(todo, left, now);
            }
        } else if (left.state == Hold.State.LOST) {
            keepLost(each -> each != left);
            reportLoss(todo, left, now); // unless reported: it was lost before the grant was announced
            end(todo, left, ReleaseOutcome.LOST, now);
            releaseLost(left);
        }
    }

    /** Runs at once if the hold is lost. */
    void onLost(Effects todo, Entry entry, CallbackTurn turn, Runnable callback) {
        Hold hold = entry.hold;
        if (!entry.hasLeft) {
            hold.addCallback(entry, turn, callback);
            if (hold.state == Hold.State.LOST) {
                callBack(todo, hold);
            }
        }
    }

    // Renewals

    void renewForOwner(
            Effects todo, Hold hold, Optional<Duration> lease, CompletableFuture<RenewResult> answer, Moment now) {
        if (!hold.isHeld()) {
            todo.add(() -> answer.complete(new RenewResult.NotHeld()));
            return;
        }
        if (hold.downgrade != null) {
            todo.add(() -> answer.complete(NOT_RENEWED));
            return;
        }
        lease.ifPresent(hold::extendedBy);
        Duration requested = lease.orElseGet(() -> leaseToConfirm(hold, now));
        scheduleRenewal(todo, new RenewAttempt(hold, RenewAttempt.Kind.OF_OWNER, now, requested, answer));
    }

    void continueOn(Entry entry, LockTerms terms, Moment now) {
        if (entry.hold.isHeld()) {
            entry.hold.continueOn(entry, terms, now.nanos());
        }
    }

    private void scheduleRenewal(Effects todo, RenewAttempt made) {
        if (made.kind() == RenewAttempt.Kind.OF_OWNER) {
            List<RenewAttempt> alone = List.of(made);
            todo.add(() -> lock.running.sendRenewals(alone));
        } else {
            lock.running.watchdog.addRenewal(made);
        }
        made.hold().grant.renewing++;
    }

    void renewed(Effects todo, RenewAttempt renewal, RenewResult result, Moment now) {
        Hold renewed = renewal.hold();
        Grant grant = renewed.grant;
        grant.renewing--;
        if (renewal.kind() == RenewAttempt.Kind.CONFIRMATION) {
            renewed.confirming = false;
        }
        if (result instanceof RenewResult.Renewed) {
            grant.confirm(renewal.period());
        }
        Hold present = find(each -> each.grant == grant); // its successor, if it was handed over meanwhile
        if (present != null && present.isHeld()) {
            applyRenewal(todo, renewal, present, result, now);
        }
        expire(todo, now);
    }

    private void applyRenewal(Effects todo, RenewAttempt renewal, Hold renewed, RenewResult result, Moment now) {
        boolean reported = renewal.kind() != RenewAttempt.Kind.OF_OWNER;
        if (result instanceof RenewResult.Renewed) {
            endDoubt(todo, renewed, now);
            if (renewal.extendsLease() && !renewed.deadline.isOver(now)) {
                renewed.renewed(renewal.deadline(), renewal.renewNextAt());
                report(todo, renewed, RenewalOutcome.RENEWED);
            }
        } else if (result instanceof RenewResult.NotHeld) {
            if (reported) {
                report(todo, renewed, RenewalOutcome.LOST);
            }
            lose(todo, renewed, renewed.grant.causeIfGone(), now);
        } else if (result instanceof RenewResult.Deferred deferred && reported) {
            renewed.renewAt = now.nanos() + deferred.retryAfter().toNanos();
            lock.running.watchdog.defer(renewed.renewAt);
        } else if (result instanceof RenewResult.Unknown && reported && renewal.extendsLease()) {
            renewed.failedRenewals++;
            report(todo, renewed, RenewalOutcome.FAILED);
        }
    }

    private static Duration leaseToConfirm(Hold held, Moment now) {
        return held.mayBeRenewed(now.nanos()) ? held.request.lease() : RenewAttempt.SHORTEST;
    }

    void endRenewals() {
        for (Hold each = holds; each != null; each = each.next) {
            each.renewalEnded = true;
        }
    }

    // The watchdog

    void look(Effects todo, Moment now) {
        expire(todo, now);
        keepLost(each -> now.nanos() - each.keptUntil < 0 && !each.isOwnedBy(HeldSlots::hasEnded));
        for (Hold each = holds; each != null; each = each.next) {
            if (each.isHeld()) {
                lookAtHold(todo, each, now);
            }
        }
    }

    private void lookAtHold(Effects todo, Hold held, Moment now) {
        if (held.isRenewed() && held.checkUnreachable()) {
            abandoned(todo, held, now);
            if (!held.isHeld()) {
                return;
            }
        }
        if (held.announced && held.heldLongFrom() != NEVER && now.nanos() - held.heldLongFrom() >= 0) {
            held.reportedHeldLong(now.nanos());
            publish(
                    todo,
                    new LockEvent.HeldLong(
                            held.request.name(),
                            lock.key,
                            held.fencingToken,
                            held.held(now.nanos()),
                            Optional.ofNullable(held.owner.acquiredBy())));
        }
        if (held.mayBeRenewed(now.nanos()) && held.renewAt - now.nanos() <= 0) {
            scheduleRenewal(todo, new RenewAttempt(held, RenewAttempt.Kind.REGULAR, now, held.request.lease(), null));
            held.renewAt = now.nanos() + held.request.leaseNanos() / RETRIES_PER_LEASE;
        }
    }

    /** No handle is reachable: reports the hold, and releases it if its threads have ended and left no callback. */
    private void abandoned(Effects todo, Hold held, Moment now) {
        boolean over = held.isOwnedBy(HeldSlots::hasEnded) && !held.hasCallbacks();
        if (!over && held.reportedAbandoned) {
            return;
        }
        held.reportedAbandoned = true;
        publish(
                todo,
                new LockEvent.Abandoned(
                        held.request.name(),
                        lock.key,
                        held.fencingToken,
                        held.owner.label(),
                        held.held(now.nanos()),
                        over ? Abandonment.RELEASED : Abandonment.KEPT));
        if (over) {
            held.entries = 1;
            exitEntry(todo, held, now);
        }
    }

    private static boolean hasEnded(Thread thread) {
        return !thread.isAlive();
    }

    /** After a beat or its answer: reports doubts and confirms holds. True if all are settled. */
    boolean confirm(Effects todo, Moment now, boolean deferred) {
        boolean settled = true;
        for (Hold each = holds; each != null; each = each.next) {
            settled &= confirmHold(todo, each, now, deferred);
        }
        return settled;
    }

    private boolean confirmHold(Effects todo, Hold held, Moment now, boolean deferred) {
        Grant grant = held.grant;
        if (!held.isHeld() || !grant.canBeInDoubt()) {
            return true;
        }
        endDoubt(todo, held, now);
        if (!grant.isCertain() && held.announced && grant.beginDoubt(now.nanos())) {
            publish(
                    todo,
                    new LockEvent.InDoubt(held.request.name(), lock.key, held.fencingToken, held.held(now.nanos())));
        }
        if (grant.isSettled()) {
            return true;
        }
        if (!held.confirming && !deferred && held.downgrade == null) {
            scheduleRenewal(
                    todo, new RenewAttempt(held, RenewAttempt.Kind.CONFIRMATION, now, leaseToConfirm(held, now), null));
            held.confirming = true;
        }
        return false;
    }

    private void endDoubt(Effects todo, Hold held, Moment now) {
        if (held.grant.isCertain()) {
            held.grant.endDoubt(now.nanos()).ifPresent(doubt -> {
                publish(todo, new LockEvent.Confirmed(held.request.name(), lock.key, held.fencingToken, doubt));
            });
        }
    }

    // Releases

    /**
     * Releases each left or lost hold whose renewals are answered, and sends downgrades; a failed object may never
     * process the answers. An idle hold is left once it must not wait for readers any longer.
     */
    void releaseLeft(Effects todo, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            boolean unowned = each.state == Hold.State.GRANTED
                    || each.state == Hold.State.LEAVING
                    || (each.state == Hold.State.IDLE
                            && (now.nanos() - each.keptUntil >= 0 || !lock.mayIdle(each, now)));
            Downgrade begun = each.downgrade;
            if (unowned && mayBeReleased(each)) {
                releaseSlot(todo, each);
            } else if (begun != null && !begun.sent && mayBeReleased(each)) {
                todo.add(() -> lock.running.calls.sendAcquire(begun.command, begun));
                begun.sent = true;
                each.grant.renewing++;
            }
        }
        if (!unreleased.isEmpty()) {
            unreleased.stream()
                    .filter(each -> !each.releaseSent && mayBeReleased(each))
                    .forEach(each -> send(todo, each, false));
            unreleased = unreleased.stream().filter(each -> !each.releaseSent).toList();
        }
    }

    private boolean mayBeReleased(Hold left) {
        return left.grant.renewing == 0 || lock.hasFailed();
    }

    private void releaseSlot(Effects todo, Hold left) {
        Detachment detachment = left.detachment;
        if (left.state != Hold.State.IDLE) {
            left.state = Hold.State.LEAVING;
        }
        if (detachment != null) {
            todo.add(() -> lock.running.calls.sendAcquire(detachment.command, detachment));
            releases++;
        } else {
            int slot = left.isShared() ? 0 : left.grant.slot; // any waiter could use that of a reader
            boolean requeued = (left.grant.isWanted() || left.isKept()) && lock.hasWaitersFor(slot);
            send(todo, left, requeued);
            requeueing += requeued ? 1 : 0;
        }
        free(left);
    }

    /** Without a grant to the ticket, the hold is released; if it is unknown which token has the lock, both are. */
    void detached(Effects todo, Hold left, Detachment detachment, AcquireResult result, Moment now) {
        releases--;
        if (result instanceof AcquireResult.Granted) {
            end(todo, left, ReleaseOutcome.DETACHED, now);
        } else if (result instanceof AcquireResult.Contended) {
            completeRelease(todo, left, new ReleaseResult.NotHeld(), now);
        } else if (result instanceof AcquireResult.Unknown) {
            ReleaseCommand ofHold = left.releaseCommand(Wait.UNCHANGED);
            todo.add(() -> lock.running.calls.repeatRelease(ofHold, left.longestLease));
            todo.add(() -> lock.running.calls.repeatRelease(detachment.releaseCommand(), detachment.command.lease()));
            end(todo, left, ReleaseOutcome.UNKNOWN, now);
        } else {
            send(todo, left, false);
        }
    }

    /** If the store still has the lock, others need not wait for its lease. */
    private void releaseLost(Hold left) {
        if (!left.releaseSent && !unreleased.contains(left)) {
            unreleased = with(unreleased, left);
        }
    }

    private void send(Effects todo, Hold left, boolean requeued) {
        ReleaseCommand command = left.releaseCommand(requeued ? lock.running.goesOnWaiting : Wait.UNCHANGED);
        SlotRelease release = new SlotRelease(left, requeued);
        todo.add(() -> lock.running.calls.sendRelease(command, release));
        if (left.downgrade != null || left.downgradeMayBeLate) { // of unknown outcome, as an attempt may be
            ReleaseCommand ofReader = new ReleaseCommand(
                    lock.key, left.grant.token, StoreCalls.NO_GRANT, Wait.UNCHANGED, Duration.ZERO, Slots.OF_READERS);
            todo.add(() -> lock.running.calls.repeatRelease(ofReader, left.longestLease));
        }
        left.releaseSent = true;
        releases++;
    }

    private record SlotRelease(Hold left, boolean requeued) implements StoreCalls.Continuation<ReleaseResult> {

        @Override
        public void accept(ReleaseResult result) {
            KeyLock lock = left.lock;
            lock.running.run(lock, (todo, now) -> {
                lock.held().released(todo, left, requeued, result, now);
                lock.released(todo, requeued, result, now);
            });
        }

        @Override
        public void failed(Throwable cause) {
            left.endUnknown();
            left.lock.fail(cause);
        }
    }

    private void released(Effects todo, Hold left, boolean requeued, ReleaseResult result, Moment now) {
        releases--;
        requeueing -= requeued ? 1 : 0;
        if (result instanceof ReleaseResult.Unknown) {
            ReleaseCommand again = left.releaseCommand(Wait.UNCHANGED);
            todo.add(() -> lock.running.calls.repeatRelease(again, left.longestLease));
        }
        if (left.state == Hold.State.LEAVING) {
            completeRelease(todo, left, result, now);
        }
        CompletableFuture<ReleaseResult> revocation = left.revocation;
        if (revocation != null) {
            todo.add(() -> revocation.complete(result));
        }
    }

    private void completeRelease(Effects todo, Hold left, ReleaseResult result, Moment now) {
        // A free lock was released by its owner if it cannot have been taken over.
        boolean released = result instanceof ReleaseResult.Released
                || result instanceof ReleaseResult.Kept
                || (result instanceof ReleaseResult.FoundFree && left.grant.isCertain());
        ReleaseOutcome outcome = released ? ReleaseOutcome.RELEASED : ReleaseOutcome.UNKNOWN;
        if (result instanceof ReleaseResult.NotHeld && left.downgrade == null) { // else it may be read
            left.lossCause = left.grant.causeIfGone();
            reportLoss(todo, left, now);
            outcome = ReleaseOutcome.LOST;
        }
        end(todo, left, outcome, now);
    }

    /** One step for event and outcome, so that a failure repeats neither. */
    private void end(Effects todo, Hold left, ReleaseOutcome outcome, Moment now) {
        EventDispatcher events = lock.running.events;
        LockEvent released = left.announced && events.hasListeners()
                ? new LockEvent.Released(
                        left.request.name(), lock.key, left.fencingToken, left.held(now.nanos()), outcome)
                : null;
        CompletableFuture<ReleaseOutcome> ended = left.ended();
        todo.add(() -> {
            try {
                if (released != null) {
                    events.publish(released);
                }
            } finally {
                ended.complete(outcome);
            }
        });
        left.state = Hold.State.ENDED;
    }

    // Losses

    void expire(Effects todo, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            if (each.isHeld() && each.deadline.isOver(now)) {
                boolean pastMaxHold = each.isPastMaxHold(now.nanos());
                lose(todo, each, pastMaxHold ? LossCause.MAX_HOLD : LossCause.LEASE_EXPIRED, now);
            }
        }
    }

    /** An operator revoked the grant elsewhere. */
    void revoked(Effects todo, String fingerprint, Moment now) {
        Hold target = find(each -> each.grant.isOf(fingerprint));
        if (target != null) {
            target.grant.revoked = true;
            lose(todo, target, LossCause.REVOKED, now);
        }
    }

    /** False if no hold has the fencing token; otherwise its release completes the answer. */
    boolean revoke(Effects todo, long fencingToken, CompletableFuture<ReleaseResult> answer, Moment now) {
        Hold target = find(each -> (each.isHeld() || each.state == Hold.State.IDLE)
                && (each.fencingToken == fencingToken || each.grant.lastFencingToken() == fencingToken));
        if (target == null) {
            return false;
        }
        target.grant.revoked = true;
        target.revocation = answer;
        lose(todo, target, LossCause.REVOKED, now);
        return true;
    }

    void shutDown(Effects todo, Predicate<Hold> which, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            if (which.test(each)) {
                lose(todo, each, LossCause.SHUTDOWN, now);
            }
        }
    }

    void lose(Effects todo, Hold held, LossCause cause, Moment now) {
        if (!held.isHeld()) {
            return;
        }
        dropUnsentDowngrade(todo, held);
        held.state = Hold.State.LOST;
        held.lossCause = cause;
        free(held);
        if (held.announced && held.threads().findAny().isPresent()) {
            held.keptUntil = now.nanos() + Math.max(held.request.leaseNanos(), MIN_REMEMBERED_NANOS);
            lost = with(lost, held);
        }
        if (held.announced) {
            reportLoss(todo, held, now);
        }
        callBack(todo, held);
        if (cause == LossCause.SHUTDOWN || cause == LossCause.REVOKED) {
            releaseLost(held);
        }
    }

    private void reportLoss(Effects todo, Hold held, Moment now) {
        if (held.announced && !held.lossReported && held.lossCause != null) {
            held.lossReported = true;
            publish(
                    todo,
                    new LockEvent.Lost(
                            held.request.name(),
                            lock.key,
                            held.fencingToken,
                            held.held(now.nanos()),
                            held.lossCause,
                            held.failedRenewals));
        }
    }

    private void callBack(Effects todo, Hold held) {
        EventDispatcher events = lock.running.events;
        IdentityHashMap<Object, List<CompletableFuture<Void>>> returned = new IdentityHashMap<>(1);
        for (LostCallback callback : held.takeCallbacks(CallbackTurn.FIRST)) {
            List<CompletableFuture<Void>> ofOwner =
                    returned.computeIfAbsent(callback.owner(), any -> new ArrayList<>(1));
            todo.add(() -> ofOwner.add(events.callback(callback)));
        }
        for (LostCallback callback : held.takeCallbacks(CallbackTurn.LAST)) {
            List<CompletableFuture<Void>> ofOwner = returned.getOrDefault(callback.owner(), List.of());
            if (held.lossCause != LossCause.SHUTDOWN) {
                todo.add(() -> CompletableFuture.allOf(ofOwner.toArray(CompletableFuture[]::new))
                        .whenComplete((all, failure) -> events.callback(callback)));
            }
        }
    }

    private void report(Effects todo, Hold held, RenewalOutcome outcome) {
        publish(todo, new LockEvent.Renewed(held.request.name(), lock.key, held.fencingToken, outcome));
    }

    private void publish(Effects todo, LockEvent event) {
        todo.add(() -> lock.running.events.publish(event));
    }

    // Views

    List<HeldLock> snapshot(Moment now) {
        List<HeldLock> all = new ArrayList<>(1);
        for (Hold each = holds; each != null; each = each.next) {
            if (each.state != Hold.State.IDLE) {
                all.add(each.snapshot(now));
            }
        }
        return all;
    }

    void addOwners(Set<Thread> owners) {
        for (Hold each = holds; each != null; each = each.next) {
            each.threads().forEach(owners::add);
        }
    }

    // The lists

    private @Nullable Hold find(Predicate<Hold> which) {
        Hold found = holds;
        while (found != null && !which.test(found)) {
            found = found.next;
        }
        return found;
    }

    private void free(Hold held) {
        remove(held);
        lock.slotFreed();
    }

    private void remove(Hold removed) {
        unlink(removed);
        if (removed.state == Hold.State.IDLE) {
            removed.state = Hold.State.ENDED;
        } else {
            lock.running.holdRemoved();
        }
    }

    private void link(Hold added) {
        Hold before = null;
        for (Hold each = holds; each != null && each.grant.slot < added.grant.slot; each = each.next) {
            before = each;
        }
        added.next = before == null ? holds : before.next;
        if (before == null) {
            holds = added;
        } else {
            before.next = added;
        }
    }

    /** Keeps the removed hold's link for loops that are iterating. False if it was not in the list. */
    private boolean unlink(Hold removed) {
        if (holds == removed) {
            holds = removed.next;
            return true;
        }
        for (Hold each = holds; each != null; each = each.next) {
            if (each.next == removed) {
                each.next = removed.next;
                return true;
            }
        }
        return false;
    }

    private static List<Hold> with(List<Hold> holds, Hold added) {
        return Stream.concat(holds.stream(), Stream.of(added)).toList();
    }

    private void keepLost(Predicate<Hold> which) {
        if (!lost.isEmpty()) {
            lost = lost.stream().filter(which).toList();
        }
    }
}

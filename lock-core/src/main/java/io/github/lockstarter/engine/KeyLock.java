package io.github.lockstarter.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Abandonment;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * State of one key in this JVM: waiters, the command under way, grants and holds.
 *
 * <p>A state machine. Each event (a call, an answer, a message, the timer) changes the state under this object's
 * monitor and adds steps to {@link Effects}, which {@link Running} executes without the monitor: commands, completions
 * of futures, listeners. Events that may make a command due end in {@link #next}, which decides on it; the answer to an
 * attempt that has already failed only gives its grant back.
 *
 * <p>No command is sent and no code of the application runs under the monitor. Only short operations do: counting
 * holds, {@link EngineTimer#schedule} and {@code cancel}, {@link Watchdog#renew} and {@code defer}, {@link
 * Running#backoff}, {@code replace} and {@code forget}, and queries of {@link Heartbeat}, which read the clock and the
 * constant or cached answers of {@code CrashDetection}. Otherwise the time is an argument, except in {@link
 * #checkHeld}.
 *
 * <p><b>Invariants.</b> A release is <em>decided</em> when {@link #release} or {@link #releaseLost} adds its command to
 * the effects.
 *
 * <ol>
 *   <li>At most one attempt or withdrawal is under way. An attempt may follow a decided release, unless that release
 *       requeues this instance.
 *   <li>No release is sent while a renewal of its grant is unanswered, except by a closed object, where the answer may
 *       have been lost; and no renewal after the release was decided.
 *   <li>A caller is in exactly one of: the waiting line, the tries, decided.
 *   <li>Each of {@link #holds} is held, or left by its owner with its release not yet decided. No two share a slot; a
 *       new grant of a slot ends the older hold.
 *   <li>While callers wait, an attempt, a withdrawal or a requeueing release is under way, or the next look is
 *       scheduled, or this instance holds all their slots, and the end of a hold allows an attempt.
 *   <li>A grant that no waiter takes is given back.
 *   <li>A retired object gets no further caller and no hold.
 * </ol>
 *
 * <p>If a thread fails in the middle of a change, for lack of stack or memory or by a bug, this object <em>closes</em>
 * before the next event: its callers get an exception, its holds are no longer renewed, and another object serves the
 * key. The store decides between the two by their lock tokens, so a lock that is still held, or was granted to nobody,
 * ends with its lease. Until then, holds are entered, extended, revoked and released, and lost, as those of other
 * objects. Signals are for the object that serves the key, and only that one withdraws the registration. {@link #fail}
 * and the closing may be repeated until there is memory; so a caller leaves the line, and a hold the list, after the
 * steps that tell their threads.
 *
 * <p>The store treats each slot as a lock; line, attempt and registration are common to all slots. Permits may differ
 * between callers: each uses the slots below its own number.
 *
 * <p>A monitor rather than a {@code ReentrantLock}, which a stack overflow inside it can leave locked forever. Lock
 * order: this monitor, then the timer's.
 */
final class KeyLock extends TimerEntry {

    static final String FAILED = "the lock client failed unexpectedly";

    /** Minimum time for which a lost hold is remembered for its thread, which is then looked at as often. */
    private static final long MIN_REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

    /** Until an event of the timer that has failed twice is repeated. */
    private static final long REPEAT_NANOS = Duration.ofMillis(100).toNanos();

    private static final int RETRIES_PER_LEASE = 6;
    private static final long NEVER = Long.MAX_VALUE;
    private static final int NONE = -1;

    final String key;
    final Running running;

    @GuardedBy("this")
    private WaitQueue queue = WaitQueue.EMPTY;

    @GuardedBy("this")
    private @Nullable Attempt attempt;

    @GuardedBy("this")
    private boolean isWithdrawing;

    /** Releases under way that requeue this instance. */
    @GuardedBy("this")
    private int requeueing;

    @GuardedBy("this")
    private int releases;

    /** Held slots, linked by {@link Hold#next}, ascending. */
    @GuardedBy("this")
    private @Nullable Hold holds;

    /** Lost holds whose threads have not noticed the loss. */
    @GuardedBy("this")
    private List<Hold> lost = List.of();

    /**
     * Permits of the latest attempt, refused or unanswered: only waiters with more are due an attempt; 0 makes one due
     * for all.
     */
    @GuardedBy("this")
    private int attemptedPermits;

    /** Highest signalled slot, which may be free even if this instance seems to hold it; reset by an attempt for it. */
    @GuardedBy("this")
    private int signalledSlot = NONE;

    /** Another instance waits while an attempt is under way; passed on to its grant. */
    @GuardedBy("this")
    private boolean isWanted;

    /** The store may have this instance registered as waiting. */
    @GuardedBy("this")
    private boolean isRegistered;

    @GuardedBy("this")
    private long position = Waiting.NEW;

    @GuardedBy("this")
    private @Nullable LockToken registeredBy;

    @GuardedBy("this")
    private @Nullable Obstacle obstacle;

    @GuardedBy("this")
    private long nextLookAt = NEVER;

    @GuardedBy("this")
    private int round;

    /** Fencing tokens to request while several wait; doubled after a grant that used them up early. */
    @GuardedBy("this")
    private int block = EngineSettings.HandOver.FENCING_TOKENS;

    /** No further callers: without use, or closed. */
    @GuardedBy("this")
    private boolean isRetired;

    /** Of a thread that failed in the middle of a change; closes this object. Written without the monitor. */
    volatile @Nullable Throwable failure;

    /** The latest event of the timer failed. Written by the timer's thread. */
    private volatile boolean isRepeating;

    KeyLock(String key, Running running) {
        this.key = key;
        this.running = running;
    }

    /** Applies an event. */
    synchronized <R> R apply(BiFunction<Effects, Moment, R> event, Effects todo, Moment now) {
        try {
            Throwable failed = failure;
            if (failed != null) {
                closeAfter(failed, todo, now);
            }
            return event.apply(todo, now);
        } catch (RuntimeException | Error e) {
            fail(e);
            throw e;
        }
    }

    /** A thread failed in the middle of a change. Allocates nothing. */
    void fail(Throwable cause) {
        failure = cause;
        try {
            running.timer.schedule(this, repeatAt());
        } catch (RuntimeException | Error e) {
            // The next event of the key closes it.
        }
    }

    private long repeatAt() {
        return isRepeating ? running.clock.nanos() + REPEAT_NANOS : running.beganAt;
    }

    @GuardedBy("this")
    private void closeAfter(Throwable failed, Effects todo, Moment now) {
        endAllWaits(todo, new Outcome.Failed(false, FAILED, failed));
        for (Hold each = holds; each != null; each = each.next) {
            each.isRenewalEnded = true;
            if (each.claim instanceof Waiter waiter && !waiter.isGranted(each)) { // the change failed before its end
                each.claim = null;
                exitEntry(todo, each, now);
            }
        }
        running.replace(this);
        boolean isReported = isRetired;
        isRetired = true;
        failure = null;
        if (!isReported) {
            todo.add(() -> EngineLog.report("A thread inside lock '" + LockRequest.printable(key) + "'", failed));
        }
        next(todo, now);
    }

    // Events of callers

    /** False if this object is retired. */
    synchronized boolean join(Effects todo, Waiter waiter, Moment now) {
        if (isRetired) {
            return false;
        }
        Outcome.Failed closed = running.closed;
        expire(todo, now);
        Hold ours = waiter.waits() ? null : blockingHold(waiter);
        if (closed != null) {
            decide(todo, waiter, closed);
        } else if (ours != null) {
            decide(todo, waiter, new Outcome.Busy(heldHere(ours, now)));
        } else {
            queue = queue.with(waiter);
            attemptedPermits = queue.first() == waiter ? 0 : attemptedPermits;
        }
        next(todo, now);
        if (waiter.isQueued && (attempt == null || attempt.waiter != waiter)) {
            reportWait(todo, waiter);
        }
        return true;
    }

    synchronized void waitIsOver(Effects todo, Waiter waiter, Moment now) {
        if (!waiter.isQueued || !waiter.isPast(now.nanos())) {
            return;
        }
        expire(todo, now);
        Hold ours = blockingHold(waiter);
        Obstacle seen = obstacle != null && waiter.accepts(obstacle) ? obstacle.at(now.nanos()) : null;
        Obstacle known = ours != null ? heldHere(ours, now) : seen;
        if (queue.first() == waiter && (known != null || attempt == null)) {
            attemptedPermits = 0; // its attempt may have used up a signal
        }
        if (known == null) {
            queue.turnIntoTry(waiter);
        } else {
            endWait(todo, waiter, known.outcome());
        }
        next(todo, now);
    }

    /** The caller leaves the line, or gives back an untaken grant. */
    synchronized void leave(Effects todo, Waiter waiter, Moment now) {
        if (waiter.decided == null) {
            attemptedPermits = queue.first() == waiter ? 0 : attemptedPermits;
            endWait(todo, waiter, new Outcome.Cancelled());
        } else if (waiter.decided instanceof Outcome.Granted granted && granted.hold().claim == waiter) {
            granted.hold().claim = null;
            expire(todo, now);
            exitEntry(todo, granted.hold(), now);
        }
        next(todo, now);
    }

    /** The application completed the future. A delivery under way gives its grant back. */
    synchronized void giveUp(Effects todo, Waiter waiter, Moment now) {
        if (waiter.decided == null) {
            leave(todo, waiter, now);
        }
    }

    /** The thread's hold, perhaps lost; null if none. */
    synchronized @Nullable Hold enteredBy(HoldOwner owner) {
        for (Hold each = holds; each != null; each = each.next) {
            if (isEnteredBy(each, owner)) {
                return each;
            }
        }
        for (Hold each : lost) {
            if (isEnteredBy(each, owner)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isEnteredBy(Hold hold, HoldOwner owner) {
        return hold.owner.isThread()
                && hold.owner.thread() == owner.thread()
                && hold.isAnnounced
                && hold.entries > 0
                && (hold.state == Hold.State.HELD || hold.state == Hold.State.LOST);
    }

    /** Counts an entry and applies its minimum time if held. The thread of a lost hold detects the loss here. */
    synchronized Hold.State enter(Hold entered, Handle handle, Duration atLeast) {
        if (entered.state == Hold.State.HELD) {
            entered.keepFor(atLeast);
            entered.entries++;
            if (!(entered.claim instanceof Waiter) && entered.firstHandle() == null) {
                entered.claim = handle;
            }
        } else if (entered.owner.thread() == Thread.currentThread()) {
            keepLost(each -> each != entered);
        }
        return entered.state;
    }

    /** Called before listeners and the caller receive the grant. */
    synchronized void announce(Hold granted, Waiter waiter, Handle handle) {
        granted.isAnnounced = true;
        waiter.handle = handle;
    }

    /** False if it was given back. */
    synchronized boolean take(Hold granted, Waiter waiter, Handle handle) {
        if (granted.claim != waiter) {
            return false;
        }
        granted.keepFor(waiter.request.atLeast());
        granted.claim = handle;
        return true;
    }

    /** Ends the hold if its lease is over. */
    boolean checkHeld(Hold hold) {
        synchronized (this) {
            if (hold.state != Hold.State.HELD) {
                return false;
            }
            if (!hold.deadline.isOver(running.clock)) {
                return true;
            }
        }
        StackReserve.ensure(); // reporting the loss must not stop half-way
        running.run(this, this::expired);
        return false;
    }

    private synchronized void expired(Effects todo, Moment now) {
        expire(todo, now);
        next(todo, now);
    }

    synchronized Duration remainingLease(Hold hold, Moment now) {
        return hold.state == Hold.State.HELD ? hold.deadline.remaining(now) : Duration.ZERO;
    }

    /** Runs at once if the hold is lost. */
    synchronized void onLost(Effects todo, Hold hold, Handle handle, Runnable callback) {
        if (!handle.hasLeft) {
            hold.addCallback(handle, callback);
            if (hold.state == Hold.State.LOST) {
                callBack(todo, hold);
            }
        }
    }

    synchronized void keepFor(Hold hold, Duration minimum) {
        hold.keepFor(minimum);
    }

    /** No effect while another handle has the hold. */
    synchronized void dropMinimumTime(Hold hold) {
        if (hold.entries == 1) {
            hold.atLeast = Duration.ZERO;
        }
    }

    /** The last handle hands the lock over or releases it. The result is completed now or by the store's answer. */
    synchronized CompletableFuture<ReleaseOutcome> exit(Effects todo, Handle handle, Moment now) {
        Hold left = handle.hold;
        expire(todo, now);
        if (handle.hasLeft) {
            return CompletableFuture.completedFuture(ReleaseOutcome.ALREADY_RELEASED);
        }
        CompletableFuture<ReleaseOutcome> outcome = left.entries == 1
                ? left.ended()
                : CompletableFuture.completedFuture(
                        left.state == Hold.State.LOST ? ReleaseOutcome.LOST : ReleaseOutcome.STILL_HELD);
        handle.hasLeft = true; // a later failure must not count it down twice
        exitEntry(todo, left, now);
        next(todo, now);
        return outcome;
    }

    @GuardedBy("this")
    private void exitEntry(Effects todo, Hold left, Moment now) {
        left.entries--;
        if (left.entries > 0) {
            return;
        }
        if (left.state == Hold.State.HELD) {
            left.state = Hold.State.LEAVING;
            if (!handOver(todo, left, now)) {
                attemptedPermits = 0;
            }
        } else if (left.state == Hold.State.LOST) {
            left.state = Hold.State.ENDED;
            keepLost(each -> each != left);
            reportLoss(todo, left, now); // unless reported: it was lost before the grant was announced
            end(todo, left, ReleaseOutcome.LOST, now);
            releaseLost(todo, left);
        }
    }

    synchronized void renewForOwner(
            Effects todo, Hold hold, Optional<Duration> lease, CompletableFuture<RenewResult> answer, Moment now) {
        if (hold.state != Hold.State.HELD) {
            todo.add(() -> answer.complete(new RenewResult.NotHeld()));
            return;
        }
        if (lease.isPresent()) {
            hold.isExtended = true;
            hold.longestLease = lease.get().compareTo(hold.longestLease) > 0 ? lease.get() : hold.longestLease;
        }
        Duration requested = lease.orElseGet(() -> leaseOf(hold, now));
        renew(todo, new Renewal(hold, Renewal.Kind.OF_OWNER, now, requested, answer));
    }

    synchronized void continueOn(Effects todo, Hold hold, LockRequest terms, Moment now) {
        if (hold.state == Hold.State.HELD) {
            hold.continueOn(terms, now.nanos());
            next(todo, now);
        }
    }

    // Answers of the store

    synchronized void answered(Effects todo, Attempt answered, AcquireResult result, Moment now) {
        expire(todo, now);
        Obstacle seen = Obstacle.of(result, answered.waiter.request.permits(), answered.sent.nanos());
        Grant grant = Objects.requireNonNull(answered.grant);
        if (result instanceof AcquireResult.Granted granted) {
            grant.granted(granted);
        }
        if (attempt != answered) {
            if (result instanceof AcquireResult.Granted) {
                giveBack(todo, answered);
            }
            return;
        }
        attempt = null;
        if (result instanceof AcquireResult.Granted granted) {
            granted(todo, answered, grant, granted.othersWaiting() > 0, now);
        } else if (seen != null) {
            long newPosition = result instanceof AcquireResult.Contended contended ? contended.position() : Waiting.NEW;
            notGranted(todo, answered, seen, newPosition, now);
        } else if (result instanceof AcquireResult.Rejected rejected) {
            endAfterFailure(todo, answered, new Outcome.Failed(true, rejected.reason(), rejected.cause()));
        } else if (result instanceof AcquireResult.Unknown unknown) {
            giveBack(todo, answered);
            endAfterFailure(todo, answered, new Outcome.Failed(false, unknown.reason(), unknown.cause()));
        }
        next(todo, now);
    }

    @GuardedBy("this")
    private void granted(Effects todo, Attempt answered, Grant grant, boolean areOthersWaiting, Moment now) {
        if (answered.waits()) { // a try does not use the registration
            isRegistered = false;
            position = Waiting.NEW;
            registeredBy = null;
        }
        round = 0;
        int free = Math.max(signalledSlot, answered.signalledSlot);
        signalledSlot = grant.slot < free ? free : NONE; // the store grants the lowest free slot
        attemptedPermits = 0; // another slot may be free
        boolean wasWanted = isWanted || areOthersWaiting;
        isWanted = false;
        supersede(todo, grant.slot, now);
        Deadline deadline = Deadline.of(answered.sent, answered.waiter.request.leaseNanos());
        Outcome.Failed failure = failureOf(answered, grant, deadline, now);
        Waiter taker = failure == null ? takerOf(answered, grant) : null;
        if (taker == null) {
            giveBack(todo, answered);
            endWait(todo, answered.waiter, failure == null ? new Outcome.Cancelled() : failure);
            if (failure != null) { // another attempt would double their wait
                endTries(todo, any -> true, failure);
            }
            return;
        }
        if (wasWanted) {
            grant.wanted(now.nanos());
        }
        long renewAt = answered.waiter.request.renewAt(answered.sent.nanos());
        Hold made = new Hold(taker, grant, grant.firstFencingToken, deadline, renewAt, now);
        startHold(todo, made, taker, now);
        nextLookAt = NEVER;
    }

    /** Why no caller can take the grant; null if one can. */
    private Outcome.@Nullable Failed failureOf(Attempt answered, Grant grant, Deadline deadline, Moment now) {
        Outcome.Failed closed = running.closed;
        if (closed != null) {
            return closed;
        }
        if (grant.isRevoked) {
            return Outcome.Failed.REVOKED;
        }
        return deadline.isOver(now) ? Outcome.Failed.tooLate(answered.waiter.request.lease()) : null;
    }

    /** Ends the older hold of a slot granted to another token. */
    synchronized void supersede(Effects todo, int slot, Moment now) {
        Hold earlier = find(each -> each.grant.slot == slot);
        if (earlier == null) {
            return;
        }
        boolean isCertain = earlier.grant.isCertain(now);
        if (earlier.state == Hold.State.HELD) {
            lose(todo, earlier, isCertain ? LossCause.OWNER_CHANGED : LossCause.TAKEN_OVER, now);
        } else {
            completeRelease(todo, earlier, new ReleaseResult.NotHeld(), isCertain, now);
            removeHold(earlier);
            releaseLost(todo, earlier);
        }
    }

    /** The attempt's waiter, or the first with the same terms. */
    @GuardedBy("this")
    private @Nullable Waiter takerOf(Attempt answered, Grant grant) {
        if (answered.waiter.decided == null) {
            return answered.waiter;
        }
        ResolvedRequest request = answered.waiter.request;
        return request.isKept() ? null : queue.find(each -> canTake(each, grant) && hasSameTerms(each, request));
    }

    private static boolean canTake(Waiter waiter, Grant grant) {
        return grant.slot < waiter.request.permits();
    }

    /** A minimum time needs a grant of its own, and the store keeps the first owner's take-over time. */
    private static boolean hasSameTerms(Waiter waiter, ResolvedRequest request) {
        return waiter.request.lease().equals(request.lease())
                && waiter.request.crashTakeOver().equals(request.crashTakeOver())
                && !waiter.request.isKept();
    }

    @GuardedBy("this")
    private void startHold(Effects todo, Hold made, Waiter taker, Moment now) {
        link(made);
        running.holdAdded(todo);
        endWait(todo, taker, new Outcome.Granted(made));
        obstacle = null;
        if (!queue.isEmpty()) {
            int taken = slotsTakenHere();
            endTries(
                    todo,
                    each -> each.request.permits() <= taken,
                    heldHere(made, now).outcome());
        }
        if (!made.grant.isSettled()) {
            todo.add(running.watchdog::confirmAll);
        }
    }

    @GuardedBy("this")
    private void notGranted(Effects todo, Attempt answered, Obstacle seen, long newPosition, Moment now) {
        isWanted = false;
        obstacle = seen;
        if (newPosition != Waiting.NEW && answered.waits()) {
            position = newPosition;
            isRegistered = true;
            registeredBy = Objects.requireNonNull(answered.grant).token;
        }
        // The event that sent its attempt may have read the clock before its call did.
        endTries(todo, each -> seen.isOutage() || each == answered.waiter || each.accepts(seen), seen.outcome());
        if (answered.waiter.isQueued && answered.waiter.isPast(now.nanos())) {
            endWait(todo, answered.waiter, seen.outcome());
        }
        if (!queue.hasWaiters()) {
            return;
        }
        boolean isSignalled = signalledSlot != NONE && (signalledSlot < seen.permits() || !answered.waits());
        if (isSignalled) {
            attemptedPermits = 0;
        } else if (answered.waits()) {
            sleep(todo, seen, now);
        }
    }

    @GuardedBy("this")
    private void sleep(Effects todo, Obstacle before, Moment now) {
        Waiter first = queue.first();
        if (first != null) {
            nextLookAt = now.nanos() + running.backoff(first, queue.maxPermits(), round++, before);
            reportWait(todo, first);
        }
    }

    @GuardedBy("this")
    private void endAfterFailure(Effects todo, Attempt ended, Outcome.Failed failure) {
        if (ended.waits()) {
            endAllWaits(todo, failure);
        } else { // waiters are unaffected; a second attempt would double the tries' wait
            endTries(todo, any -> true, failure);
            attemptedPermits = signalledSlot == NONE ? attemptedPermits : 0;
        }
    }

    /**
     * After a withdrawal or a requeueing release, for which attempts wait. If it was not answered, ends the tries: an
     * attempt would double their wait.
     */
    @GuardedBy("this")
    private void allowAttempts(Effects todo, ReleaseResult result) {
        attemptedPermits = 0;
        if (attempt == null && result instanceof ReleaseResult.Unknown unknown) {
            endTries(todo, any -> true, new Outcome.Failed(true, unknown.reason(), unknown.cause()));
        }
    }

    @GuardedBy("this")
    private void giveBack(Effects todo, Attempt unused) {
        Grant grant = unused.grant;
        if (grant != null) {
            ReleaseCommand release = grant.releaseCommand(key, unused.waiter.request.permits());
            Duration lease = unused.waiter.request.lease();
            todo.add(() -> running.calls.repeatRelease(release, lease));
        }
    }

    private synchronized void released(Effects todo, Hold left, boolean isRequeued, ReleaseResult result, Moment now) {
        releases--;
        requeueing -= isRequeued ? 1 : 0;
        boolean isCertain = left.grant.isCertain(now);
        if (result instanceof ReleaseResult.Unknown) {
            ReleaseCommand again = left.releaseCommand(Wait.UNCHANGED);
            todo.add(() -> running.calls.repeatRelease(again, left.longestLease));
        }
        if (left.state == Hold.State.LEAVING) {
            completeRelease(todo, left, result, isCertain, now);
        }
        CompletableFuture<ReleaseResult> revocation = left.revocation;
        if (revocation != null) {
            todo.add(() -> revocation.complete(result));
        }
        int othersSignalled = result instanceof ReleaseResult.Released released ? released.signalled() : 0;
        if (isRequeued) {
            requeued(todo, result, othersSignalled, now);
        } else if (othersSignalled > 0) {
            wanted(now);
        }
        next(todo, now);
    }

    @GuardedBy("this")
    private void completeRelease(Effects todo, Hold left, ReleaseResult result, boolean isCertain, Moment now) {
        // A free lock was released by its owner if it cannot have been taken over.
        boolean isReleased = result instanceof ReleaseResult.Released
                || result instanceof ReleaseResult.Kept
                || (result instanceof ReleaseResult.FoundFree && isCertain);
        ReleaseOutcome outcome = isReleased ? ReleaseOutcome.RELEASED : ReleaseOutcome.UNKNOWN;
        if (result instanceof ReleaseResult.NotHeld) {
            left.lossCause = isCertain ? LossCause.OWNER_CHANGED : LossCause.TAKEN_OVER;
            reportLoss(todo, left, now);
            outcome = ReleaseOutcome.LOST;
        }
        end(todo, left, outcome, now);
        left.state = Hold.State.ENDED;
    }

    @GuardedBy("this")
    private void requeued(Effects todo, ReleaseResult result, int othersSignalled, Moment now) {
        boolean isKept = result instanceof ReleaseResult.Kept;
        isRegistered |= isKept || othersSignalled > 0 || result instanceof ReleaseResult.Unknown;
        position = Waiting.NEW; // the old place was used by the grant
        Waiter first = queue.first();
        boolean isOnlySlot = first == null || first.request.permits() == 1;
        if (othersSignalled > 0 || (isKept && isOnlySlot)) {
            obstacle = null; // the lock may be free by now
            attemptedPermits = first == null || signalledSlot != NONE ? 0 : first.request.permits();
            sleep(
                    todo,
                    isOnlySlot && result instanceof ReleaseResult.Kept kept
                            ? Obstacle.kept(kept.rest())
                            : Obstacle.ELSEWHERE,
                    now);
        } else { // another slot may be free
            allowAttempts(todo, result);
        }
    }

    private synchronized void withdrawn(Effects todo, ReleaseResult result, Moment now) {
        isWithdrawing = false;
        isRegistered |= isRetired; // its successor may have lost its registration
        allowAttempts(todo, result); // as may waiters
        next(todo, now);
    }

    synchronized void renewed(Effects todo, Renewal renewal, RenewResult result, Moment now) {
        Hold renewed = renewal.hold();
        Grant grant = renewed.grant;
        boolean isCertain = grant.isCertain(now);
        grant.renewing--;
        if (renewal.kind() == Renewal.Kind.CONFIRMATION) {
            renewed.isConfirming = false;
        }
        if (result instanceof RenewResult.Renewed) {
            grant.confirm(renewal.period());
        }
        Hold present = find(each -> each.grant == grant); // its successor, if it was handed over meanwhile
        if (present != null && present.state == Hold.State.HELD) {
            applyRenewal(todo, renewal, present, result, isCertain, now);
        }
        Hold releasePending = grant.renewing == 0 ? grant.releasePending : null;
        // If the lock is gone, only an operator needs the release's answer.
        if (releasePending != null && (releasePending.revocation != null || !(result instanceof RenewResult.NotHeld))) {
            releaseLost(todo, releasePending);
        }
        expire(todo, now);
        next(todo, now);
    }

    @GuardedBy("this")
    private void applyRenewal(
            Effects todo, Renewal renewal, Hold renewed, RenewResult result, boolean isCertain, Moment now) {
        boolean isReported = renewal.kind() != Renewal.Kind.OF_OWNER;
        if (result instanceof RenewResult.Renewed) {
            endDoubt(todo, renewed, now);
            if (renewal.extendsLease() && !renewed.deadline.isOver(now)) {
                Deadline later = renewal.deadline();
                renewed.deadline = later.isAfter(renewed.deadline) ? later : renewed.deadline;
                renewed.renewals++;
                renewed.failedRenewals = 0;
                renewed.renewAt = renewal.renewNextAt();
                report(todo, renewed, RenewalOutcome.RENEWED);
            }
        } else if (result instanceof RenewResult.NotHeld) {
            if (isReported) {
                report(todo, renewed, RenewalOutcome.LOST);
            }
            lose(todo, renewed, isCertain ? LossCause.OWNER_CHANGED : LossCause.TAKEN_OVER, now);
        } else if (result instanceof RenewResult.Deferred deferred && isReported) {
            renewed.renewAt = now.nanos() + deferred.retryAfter().toNanos();
            running.watchdog.defer(renewed.renewAt);
        } else if (result instanceof RenewResult.Unknown && isReported && renewal.extendsLease()) {
            renewed.failedRenewals++;
            report(todo, renewed, RenewalOutcome.FAILED);
        }
    }

    // Messages of the mailbox, and of operators

    /** False if this object is retired. */
    synchronized boolean signalled(Effects todo, int slot, Moment now) {
        if (isRetired) {
            return false;
        }
        signalledSlot = Math.max(signalledSlot, slot);
        attemptedPermits = attempt == null && slot < queue.maxPermits() ? 0 : attemptedPermits;
        isRegistered |= !queue.hasWaiters(); // without waiters, a withdrawal forwards the signal
        next(todo, now);
        return true;
    }

    synchronized void wanted(Moment now) {
        isWanted |= attempt != null;
        for (Hold each = holds; each != null; each = each.next) {
            each.grant.wanted(now.nanos());
        }
    }

    /** An operator revoked the grant elsewhere. */
    synchronized void revoked(Effects todo, String fingerprint, Moment now) {
        Grant pending = attempt == null ? null : attempt.grant;
        if (pending != null && pending.isOf(fingerprint)) {
            pending.isRevoked = true;
        }
        Hold target = find(each -> each.grant.isOf(fingerprint));
        if (target != null) {
            target.grant.isRevoked = true;
            lose(todo, target, LossCause.REVOKED, now);
        }
        next(todo, now);
    }

    synchronized boolean revoke(Effects todo, long fencingToken, CompletableFuture<ReleaseResult> answer, Moment now) {
        Hold target = find(each -> each.state == Hold.State.HELD
                && (each.fencingToken == fencingToken || each.grant.lastFencingToken() == fencingToken));
        if (target == null) {
            return false;
        }
        target.grant.isRevoked = true;
        target.revocation = answer;
        lose(todo, target, LossCause.REVOKED, now);
        next(todo, now);
        return true;
    }

    synchronized void undecidable(Effects todo, Hold hold, Moment now) {
        lose(todo, hold, LossCause.HISTORY_CHANGED, now);
        next(todo, now);
    }

    /** Holders keep their locks. */
    synchronized void refuse(Effects todo, Outcome.Failed refusal, Moment now) {
        endAllWaits(todo, refusal);
        next(todo, now);
    }

    synchronized void addOwners(Set<Thread> owners) {
        for (Hold each = holds; each != null; each = each.next) {
            if (each.owner.thread() != null) {
                owners.add(each.owner.thread());
            }
        }
    }

    synchronized void loseOf(Effects todo, Set<Thread> owners, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            if (each.owner.thread() != null && owners.contains(each.owner.thread())) {
                lose(todo, each, LossCause.SHUTDOWN, now);
            }
        }
        next(todo, now);
    }

    synchronized void endRenewals() {
        for (Hold each = holds; each != null; each = each.next) {
            each.isRenewalEnded = true;
        }
    }

    synchronized void close(Effects todo, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            lose(todo, each, LossCause.SHUTDOWN, now);
        }
        next(todo, now);
    }

    // The watchdog

    @Override
    public void fire() {
        try {
            running.runInTick(this, this::look);
            isRepeating = false;
        } catch (RuntimeException | Error e) {
            running.timer.schedule(this, repeatAt()); // renewals, or the closing, depend on it: repeat it
            if (!isRepeating) { // reported once
                isRepeating = true;
                throw e;
            }
        }
    }

    synchronized void look(Effects todo, Moment now) {
        expire(todo, now);
        keepLost(each -> now.nanos() - each.forgetAt < 0 && !each.owner.hasEnded());
        for (Hold each = holds; each != null; each = each.next) {
            if (each.state == Hold.State.HELD) {
                lookAtHold(todo, each, now);
            }
        }
        if (nextLookAt != NEVER && now.nanos() - nextLookAt >= 0) {
            nextLookAt = NEVER;
            attemptedPermits = 0;
        }
        next(todo, now);
    }

    @GuardedBy("this")
    private void lookAtHold(Effects todo, Hold held, Moment now) {
        if (held.isRenewed() && held.checkUnreachable()) {
            abandoned(todo, held, now);
            if (held.state != Hold.State.HELD) {
                return;
            }
        }
        if (held.isAnnounced && held.heldLongFrom() != NEVER && now.nanos() - held.heldLongFrom() >= 0) {
            held.reportedHeldLong(now.nanos());
            publish(
                    todo,
                    new LockEvent.HeldLong(
                            held.request.name(),
                            key,
                            held.fencingToken,
                            held.held(now.nanos()),
                            Optional.ofNullable(held.owner.acquiredBy())));
        }
        if (held.isRenewed() && held.renewAt - now.nanos() <= 0 && !held.isPastMaxHold(now.nanos())) {
            renew(todo, new Renewal(held, Renewal.Kind.REGULAR, now, held.request.lease(), null));
            held.renewAt = now.nanos() + held.request.leaseNanos() / RETRIES_PER_LEASE;
        }
    }

    /** No handle is reachable: reports the hold, and releases it if its thread has ended and left no callback. */
    @GuardedBy("this")
    private void abandoned(Effects todo, Hold held, Moment now) {
        boolean isOver = held.owner.hasEnded() && !held.hasCallbacks();
        if (!isOver && held.isReportedAbandoned) {
            return;
        }
        held.isReportedAbandoned = true;
        publish(
                todo,
                new LockEvent.Abandoned(
                        held.request.name(),
                        key,
                        held.fencingToken,
                        held.owner.label(),
                        held.held(now.nanos()),
                        isOver ? Abandonment.RELEASED : Abandonment.KEPT));
        if (isOver) {
            held.entries = 1;
            exitEntry(todo, held, now);
        }
    }

    /** After a beat or its answer: reports doubts and confirms holds. True if all are settled. */
    synchronized boolean confirm(Effects todo, Moment now, boolean isDeferred) {
        boolean areSettled = true;
        for (Hold each = holds; each != null; each = each.next) {
            areSettled &= confirmHold(todo, each, now, isDeferred);
        }
        return areSettled;
    }

    @GuardedBy("this")
    private boolean confirmHold(Effects todo, Hold held, Moment now, boolean isDeferred) {
        if (held.state != Hold.State.HELD || !held.grant.canBeInDoubt()) {
            return true;
        }
        Grant grant = held.grant;
        if (grant.isCertain(now)) {
            endDoubt(todo, held, now);
        } else if (held.isAnnounced && grant.beginDoubt(now.nanos())) {
            publish(todo, new LockEvent.InDoubt(held.request.name(), key, held.fencingToken, held.held(now.nanos())));
        }
        if (grant.isSettled()) {
            return true;
        }
        if (!held.isConfirming && !isDeferred) {
            renew(todo, new Renewal(held, Renewal.Kind.CONFIRMATION, now, leaseOf(held, now), null));
            held.isConfirming = true;
        }
        return false;
    }

    @GuardedBy("this")
    private void endDoubt(Effects todo, Hold held, Moment now) {
        if (held.grant.isCertain(now)) {
            held.grant.endDoubt(now.nanos()).ifPresent(doubt -> {
                publish(todo, new LockEvent.Confirmed(held.request.name(), key, held.fencingToken, doubt));
            });
        }
    }

    // Views for operators

    synchronized List<LockAdmin.Waiter> waiters(Moment now) {
        List<LockAdmin.Waiter> all = new ArrayList<>();
        for (Waiter each = queue.first(); each != null; each = each.behind) {
            all.add(each.snapshot(now.nanos(), all.size() + 1));
        }
        return all;
    }

    synchronized List<HeldLock> held(Moment now) {
        List<HeldLock> all = new ArrayList<>(1);
        for (Hold each = holds; each != null; each = each.next) {
            all.add(each.snapshot(now));
        }
        return all;
    }

    /** Last known owner's instance, if callers wait for it. */
    synchronized Optional<String> watched() {
        return !queue.hasWaiters() || obstacle == null ? Optional.empty() : obstacle.instance();
    }

    synchronized boolean hasWaiters() {
        return queue.hasWaiters();
    }

    // Decisions

    @GuardedBy("this")
    private void next(Effects todo, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            if (each.state == Hold.State.LEAVING && (each.grant.renewing == 0 || isRetired)) {
                release(todo, each);
            }
        }
        if (isRetired || (attempt == null && !isWithdrawing && requeueing < 1)) {
            Waiter caller = nextCaller();
            if (caller != null) {
                begin(todo, caller, now);
            } else if (signalledSlot != NONE || (isRegistered && queue.isEmpty())) {
                withdraw(todo);
            }
        }
        queue = queue.isEmpty() ? WaitQueue.EMPTY : queue;
        watch(now);
        retire();
    }

    @GuardedBy("this")
    private @Nullable Waiter nextCaller() {
        if (queue.isEmpty()) {
            return null;
        }
        int taken = slotsTakenHere();
        int above = signalledSlot == NONE ? taken : Math.min(taken, signalledSlot);
        Waiter waiting = queue.firstAbove(Math.max(above, attemptedPermits));
        Waiter caller = waiting == null ? queue.firstTry() : waiting;
        return caller != null && caller.request.permits() > above ? caller : null;
    }

    /** A hold of this instance, if holds occupy every slot available to the caller. */
    @GuardedBy("this")
    private @Nullable Hold blockingHold(Waiter waiter) {
        return waiter.request.permits() <= slotsTakenHere() ? holds : null;
    }

    /** From slot 0, without a gap. */
    @GuardedBy("this")
    private int slotsTakenHere() {
        int taken = 0;
        for (Hold each = holds; each != null && each.grant.slot == taken; each = each.next) {
            taken++;
        }
        return taken;
    }

    @GuardedBy("this")
    private @Nullable Hold find(Predicate<Hold> which) {
        Hold found = holds;
        while (found != null && !which.test(found)) {
            found = found.next;
        }
        return found;
    }

    @GuardedBy("this")
    private void begin(Effects todo, Waiter caller, Moment now) {
        caller.attempts++;
        int permits = caller.request.permits();
        int used = signalledSlot < permits ? signalledSlot : NONE;
        signalledSlot = signalledSlot < permits ? NONE : signalledSlot;
        if (caller.isQueued) {
            attemptedPermits = permits;
            nextLookAt = NEVER;
        }
        boolean areOthersWaiting = caller.hadToWait || queue.hasSeveralWaiters();
        int tokens = areOthersWaiting ? Math.min(block, running.capabilities.fencingTokens()) : 1;
        Attempt begun = new Attempt(
                caller, caller.isQueued ? running.waitingAt(position) : Optional.empty(), tokens, used, now);
        todo.add(() -> running.send(begun));
        attempt = begun;
    }

    @GuardedBy("this")
    private void withdraw(Effects todo) {
        LockToken known = registeredBy;
        int slot = Math.max(0, signalledSlot);
        long place = queue.hasWaiters() ? position : Waiting.NEW; // waiters for other slots keep it
        if (isRetired) {
            todo.add(() -> running.signal(key, slot)); // its successor looks, or withdraws
        } else {
            Release withdrawal = new Release(null, false);
            todo.add(() -> running.withdraw(key, known, slot, place, withdrawal));
            isWithdrawing = true;
        }
        isRegistered = false;
        signalledSlot = NONE; // the withdrawal forwards it
        position = place;
        registeredBy = null;
    }

    @GuardedBy("this")
    private void release(Effects todo, Hold left) {
        boolean isRequeued = (left.grant.isWanted() || left.isKept()) && queue.hasWaiters();
        send(todo, left, isRequeued);
        requeueing += isRequeued ? 1 : 0;
        removeHold(left);
    }

    @GuardedBy("this")
    private void removeHold(Hold removed) {
        unlink(removed);
        running.holdRemoved();
        attemptedPermits = 0;
    }

    @GuardedBy("this")
    private void link(Hold added) {
        Hold before = null;
        for (Hold each = holds; each != null && each.grant.slot < added.grant.slot; each = each.next) {
            before = each;
        }
        if (before == null) {
            added.next = holds;
            holds = added;
        } else {
            added.next = before.next;
            before.next = added;
        }
    }

    /** Keeps the removed hold's link for loops that are iterating. */
    @GuardedBy("this")
    private void unlink(Hold removed) {
        if (holds == removed) {
            holds = removed.next;
            return;
        }
        for (Hold each = holds; each != null; each = each.next) {
            if (each.next == removed) {
                each.next = removed.next;
            }
        }
    }

    /** If the store still has the lock, others need not wait for its lease. */
    @GuardedBy("this")
    private void releaseLost(Effects todo, Hold left) {
        if (left.isReleaseSent) {
            return;
        }
        if (left.grant.renewing > 0) {
            left.grant.releasePending = left;
            return;
        }
        send(todo, left, false);
    }

    @GuardedBy("this")
    private void send(Effects todo, Hold left, boolean isRequeued) {
        ReleaseCommand command = left.releaseCommand(isRequeued ? running.goesOnWaiting : Wait.UNCHANGED);
        Release release = new Release(left, isRequeued);
        todo.add(() -> running.calls.release(command, release));
        left.isReleaseSent = true;
        releases++;
    }

    /** Processes the answer to the release of a hold, or to a withdrawal if there is none. */
    private final class Release implements StoreCalls.Continuation<ReleaseResult> {

        private final @Nullable Hold left;
        private final boolean isRequeued;

        Release(@Nullable Hold left, boolean isRequeued) {
            this.left = left;
            this.isRequeued = isRequeued;
        }

        @Override
        public void accept(ReleaseResult result) {
            running.run(KeyLock.this, (todo, now) -> {
                if (left == null) {
                    withdrawn(todo, result, now);
                } else {
                    released(todo, left, isRequeued, result, now);
                }
            });
        }

        @Override
        public void failed(Throwable cause) {
            if (left != null) {
                left.endUnknown();
            }
            fail(cause);
        }
    }

    /** Without a command. A waiter without renewal needs a whole lease, so the store grants it. */
    @GuardedBy("this")
    private boolean handOver(Effects todo, Hold left, Moment now) {
        boolean mayPass = running.limits.max() > 0
                && !left.isExtended
                && !left.isKept()
                && !left.grant.isRevoked
                && running.closed == null;
        Waiter successor = queue.find(each -> canTake(each, left.grant));
        if (!mayPass || successor == null || !successor.request.isRenewed()) {
            return false;
        }
        if (!hasSameTerms(successor, left.request)
                || left.deadline.isOver(now)
                || !left.grant.isCertain(now)
                || !left.grant.allowsHandOver(left.request, now.nanos(), running.limits)) {
            block = left.grant.wasUsedUpEarly(now.nanos(), running.limits)
                    ? Math.min(2 * block, AcquireCommand.MOST_FENCING_TOKENS)
                    : EngineSettings.HandOver.FENCING_TOKENS;
            return false;
        }
        Hold made = new Hold(successor, left.grant, left.grant.nextFencingToken(), left.deadline, left.renewAt, now);
        left.state = Hold.State.ENDED;
        unlink(left);
        running.holdRemoved();
        position = Waiting.NEW;
        end(todo, left, ReleaseOutcome.RELEASED, now);
        startHold(todo, made, successor, now);
        return true;
    }

    @GuardedBy("this")
    private void renew(Effects todo, Renewal made) {
        if (made.kind() == Renewal.Kind.OF_OWNER) {
            List<Renewal> alone = List.of(made);
            todo.add(() -> running.renew(alone));
        } else {
            running.watchdog.renew(made);
        }
        made.hold().grant.renewing++;
    }

    private static Duration leaseOf(Hold held, Moment now) {
        return held.isRenewed() && !held.isPastMaxHold(now.nanos()) ? held.request.lease() : Renewal.SHORTEST;
    }

    // Losses and ends

    @GuardedBy("this")
    private void expire(Effects todo, Moment now) {
        for (Hold each = holds; each != null; each = each.next) {
            if (each.state == Hold.State.HELD && each.deadline.isOver(now)) {
                boolean isPastMaxHold = each.isPastMaxHold(now.nanos());
                lose(todo, each, isPastMaxHold ? LossCause.MAX_HOLD : LossCause.LEASE_EXPIRED, now);
            }
        }
    }

    @GuardedBy("this")
    private void lose(Effects todo, Hold held, LossCause cause, Moment now) {
        if (held.state != Hold.State.HELD) {
            return;
        }
        held.state = Hold.State.LOST;
        held.lossCause = cause;
        removeHold(held);
        if (held.owner.isThread() && held.isAnnounced) {
            held.forgetAt = now.nanos() + Math.max(held.request.leaseNanos(), MIN_REMEMBERED_NANOS);
            lost = Stream.concat(lost.stream(), Stream.of(held)).toList();
        }
        if (held.isAnnounced) {
            reportLoss(todo, held, now);
        }
        callBack(todo, held);
        if (cause == LossCause.SHUTDOWN || cause == LossCause.REVOKED) {
            releaseLost(todo, held);
        }
    }

    @GuardedBy("this")
    private void keepLost(Predicate<Hold> which) {
        if (!lost.isEmpty()) {
            lost = lost.stream().filter(which).toList();
        }
    }

    @GuardedBy("this")
    private void reportLoss(Effects todo, Hold held, Moment now) {
        if (held.isAnnounced && !held.isLossReported && held.lossCause != null) {
            held.isLossReported = true;
            publish(
                    todo,
                    new LockEvent.Lost(
                            held.request.name(),
                            key,
                            held.fencingToken,
                            held.held(now.nanos()),
                            held.lossCause,
                            held.failedRenewals));
        }
    }

    private void publish(Effects todo, LockEvent event) {
        todo.add(() -> running.events.publish(event));
    }

    @GuardedBy("this")
    private void callBack(Effects todo, Hold held) {
        held.takeCallbacks().forEach(callback -> todo.add(() -> running.events.callback(callback)));
    }

    @GuardedBy("this")
    private void report(Effects todo, Hold held, RenewalOutcome outcome) {
        publish(todo, new LockEvent.Renewed(held.request.name(), key, held.fencingToken, outcome));
    }

    @GuardedBy("this")
    private void end(Effects todo, Hold left, ReleaseOutcome outcome, Moment now) {
        if (left.isAnnounced && running.events.hasListeners()) {
            publish(
                    todo,
                    new LockEvent.Released(
                            left.request.name(), key, left.fencingToken, left.held(now.nanos()), outcome));
        }
        CompletableFuture<ReleaseOutcome> ended = left.ended();
        todo.add(() -> ended.complete(outcome));
    }

    @GuardedBy("this")
    private Obstacle heldHere(Hold held, Moment now) {
        boolean isHeld = held.state == Hold.State.HELD;
        return Obstacle.heldHere(
                isHeld ? held.deadline.remaining(now) : held.request.lease(),
                () -> Obstacle.describe(
                        held.owner.label(), held.held(running.now().nanos())));
    }

    // Ends of waits

    @GuardedBy("this")
    private void endWait(Effects todo, Waiter waiter, Outcome outcome) {
        decide(todo, waiter, outcome);
        queue.remove(waiter);
    }

    private static void decide(Effects todo, Waiter waiter, Outcome outcome) {
        if (waiter.decided == null) {
            todo.add(() -> waiter.outcome.complete(outcome));
            waiter.decided = outcome;
        }
    }

    @GuardedBy("this")
    private void reportWait(Effects todo, Waiter waiter) {
        if (!waiter.hadToWait) {
            waiter.hadToWait = true;
            publish(todo, new LockEvent.Contended(waiter.request.name(), key));
        }
    }

    @GuardedBy("this")
    private void endAllWaits(Effects todo, Outcome outcome) {
        queue.takeWaiters(any -> true, each -> decide(todo, each, outcome));
        endTries(todo, any -> true, outcome);
    }

    @GuardedBy("this")
    private void endTries(Effects todo, Predicate<Waiter> which, Outcome outcome) {
        queue.takeTries(which, each -> decide(todo, each, outcome));
    }

    // Timer and retirement

    @GuardedBy("this")
    private void watch(Moment now) {
        long next = !queue.hasWaiters() ? NEVER : nextLookAt;
        for (Hold each = holds; each != null; each = each.next) {
            if (each.state == Hold.State.HELD) {
                next = Math.min(next, nextLookAtHold(each, now));
            }
        }
        for (Hold each : lost) {
            next = Math.min(next, Math.min(each.forgetAt, now.nanos() + MIN_REMEMBERED_NANOS));
        }
        if (next != NEVER) {
            running.timer.schedule(this, next);
        }
    }

    private static long nextLookAtHold(Hold held, Moment now) {
        long deadline = held.deadline.nanos();
        boolean renews = held.isRenewed() && !held.isPastMaxHold(now.nanos()) && held.renewAt - deadline < 0;
        long latest = renews ? held.renewAt : deadline;
        long heldLongFrom = held.heldLongFrom();
        boolean isToReport = held.isAnnounced || heldLongFrom - now.nanos() > 0;
        return heldLongFrom != NEVER && isToReport ? Math.min(latest, heldLongFrom) : latest;
    }

    @GuardedBy("this")
    private void retire() {
        boolean isUsed = !queue.isEmpty() || attempt != null || isWithdrawing || releases > 0;
        if (holds == null && lost.isEmpty() && (isRetired || !isUsed)) {
            running.timer.cancel(this);
            running.forget(this);
            isRetired = true;
        }
    }
}

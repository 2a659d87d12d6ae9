package io.github.lockstarter.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.Hold.Entry;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One key in this JVM: the line of callers that wait for it, and the {@link HeldSlots}.
 *
 * <p>A state machine. Each event (a call, an answer, a message, the timer) changes the state under this object's
 * monitor ({@link #apply}) and adds steps to {@link Effects}, which {@link Running} executes without the monitor:
 * commands, completions of futures, listeners. Events that may make a command due end in {@link #next}, which decides
 * on it.
 *
 * <p>The line owns waiters, the attempt under way, registration, withdrawal and the decision to hand over. The held
 * slots are a machine of their own under the same monitor; neither writes the other's state. The line asks them which
 * slots are taken, and passes on grants ({@link HeldSlots#granted}) and handovers. They report back by three events:
 * {@link #holdLeft}, {@link #slotFreed} and {@link #released}. Events that concern only a hold go to {@link #held()},
 * under {@link #apply} as well.
 *
 * <p>No command is sent and no code of the application runs under the monitor. Only short operations do: counting
 * holds, {@link EngineTimer#schedule} and {@code cancel}, {@link Watchdog#addRenewal} and {@code defer}, {@link
 * Running#backoff}, {@code replace} and {@code forget}, and queries of {@link Heartbeat}, which read the clock and the
 * constant or cached answers of {@code CrashDetection}. Otherwise the time is an argument, except in {@link
 * #checkHeld}.
 *
 * <p><b>Invariants</b> of the line; those of the holds are in {@link HeldSlots}.
 *
 * <ol>
 *   <li>At most one attempt or withdrawal is under way. An attempt may follow a decided release, unless that release
 *       requeues this instance.
 *   <li>A caller is in exactly one of: the waiting line, the tries, decided.
 *   <li>While callers wait, an attempt, a withdrawal or a requeueing release is under way, or the next look is
 *       scheduled, or this instance holds all their slots, and the end of a hold allows an attempt.
 *   <li>A grant that no waiter takes is given back.
 *   <li>A retired object gets no further caller and no hold.
 * </ol>
 *
 * <p>If a thread fails in the middle of a change, for lack of stack or memory or by a bug, this object has
 * <em>failed</em>, for good. Before the next event its callers get an exception, its holds are no longer renewed, and
 * another object serves the key. Only the first failure is reported. A hold whose caller was not decided yet is
 * released. The store decides between the two by their lock tokens, so a lock that is still held, or whose grant was
 * not processed, ends with its lease. Until then, holds are entered, extended, revoked and released, and lost, as those
 * of other objects. Signals are for the object that serves the key, and only that one withdraws the registration.
 * {@link #fail} and {@link #applyFailure} may be repeated until there is memory; so a caller leaves the line, and a
 * hold the list, after the steps that tell their threads.
 *
 * <p>Readers share a hold: a reader joins one that is here ({@link HeldSlots#joinable}) without a command, and within
 * the time limit of handovers once a writer or another instance waits; their number does not matter, since they hold
 * the lock at the same time. Otherwise it takes its turn in the line, as a caller for one permit, since the owner of
 * the first slot excludes it. It is granted another slot, and with it all readers that wait here, wherever they are in
 * the line; a hold that was left passes to the next writer, past readers in front, within the limits of handovers. So
 * readers and writers take turns, in phases: a reader waits for the writers in front and those of one phase, a writer
 * for the writers in front and the readers of one phase (the phase-fair locks of Brandenburg and Anderson, "Spin-Based
 * Reader-Writer Synchronization for Multiprocessor Real-Time Systems", 2010, here with several writers in a phase).
 *
 * <p>After its last reader has left, a shared hold is idle for the time limit of handovers: the next reader follows
 * without a command. Another caller, here or in another instance, a renewal that is due and a doubt end it sooner.
 *
 * <p>The store treats each slot as a lock; line, attempt and registration are common to all slots. Permits may differ
 * between callers: each uses the slots below its own number.
 *
 * <p>A monitor rather than a {@code ReentrantLock}, which a stack overflow inside it can leave locked forever. Lock
 * order: this monitor, then the timer's.
 */
final class KeyLock extends TimerEntry {

    static final String FAILED = "the lock client failed unexpectedly";

    /** Until a look that failed again is repeated, or a failure is applied, unless an event comes first. */
    private static final long REPEAT_NANOS = Duration.ofMillis(100).toNanos();

    private static final long NEVER = Long.MAX_VALUE;
    private static final int NONE = -1;

    final String key;
    final Running running;

    @GuardedBy("this")
    private final HeldSlots held = new HeldSlots(this);

    @GuardedBy("this")
    private WaitQueue queue = WaitQueue.EMPTY;

    @GuardedBy("this")
    private @Nullable Attempt attempt;

    @GuardedBy("this")
    private boolean withdrawing;

    /**
     * Permits of the latest attempt, refused or unanswered: only waiters with more are due an attempt. Reset by {@link
     * #makeAttemptDue}.
     */
    @GuardedBy("this")
    private int attemptedPermits;

    /** Highest signalled slot, which may be free even if this instance seems to hold it; reset by an attempt for it. */
    @GuardedBy("this")
    private int signalledSlot = NONE;

    /** The store may have this instance registered as waiting. */
    @GuardedBy("this")
    private boolean registered;

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
    private int block = EngineSettings.Handover.FENCING_TOKENS;

    /** No further callers: without use, or failed. */
    @GuardedBy("this")
    private boolean retired;

    /** Of the first thread that failed; each later event applies it. Written without the monitor. */
    volatile @Nullable Throwable failure;

    /** For good; the {@link #failure} was reported. */
    @GuardedBy("this")
    private boolean failed;

    /** The latest look could not begin, and decided nothing. Belongs to the timer's thread. */
    private boolean lookFailed;

    KeyLock(String key, Running running) {
        this.key = key;
        this.running = running;
    }

    /** Applies an event. */
    synchronized <R> R apply(BiFunction<Effects, Moment, R> event, Effects todo, Moment now) {
        try {
            Throwable cause = failure;
            if (cause != null) {
                applyFailure(cause, todo);
            }
            R result = event.apply(todo, now);
            next(todo, now);
            return result;
        } catch (RuntimeException | Error e) {
            fail(e);
            throw e;
        }
    }

    /** A thread failed in the middle of a change. Allocates nothing. */
    void fail(Throwable cause) {
        boolean first = failure == null;
        if (first) {
            failure = cause;
        }
        try {
            repeatLook(first);
        } catch (RuntimeException | Error e) {
            // The next event of the key applies the failure.
        }
    }

    private void repeatLook(boolean atOnce) {
        running.timer.schedule(this, atOnce ? running.beganAt : running.clock.nanos() + REPEAT_NANOS);
    }

    /** Decides nothing, so that only a lack of memory can make it fail. */
    @GuardedBy("this")
    private void applyFailure(Throwable cause, Effects todo) {
        if (!failed) {
            todo.add(() -> EngineLog.report("A thread inside lock '" + LockRequest.printable(key) + "'", cause));
            failed = true;
        }
        retired = true;
        endAllWaits(todo, new WaitOutcome.Failed(false, FAILED, cause));
        held.endRenewals();
        running.replace(this);
    }

    // Events of callers

    /** False if this object is retired. */
    synchronized boolean join(Effects todo, Waiter waiter, Moment now) {
        if (retired) {
            return false;
        }
        WaitOutcome.Failed refusal = running.refusal.get();
        held.expire(todo, now);
        boolean asks = waiter.waits() || waiter.attaches();
        Obstacle ours = asks ? null : held.obstacle(waiter.request.permits(), now);
        Hold shared = waiter.request.reads() ? held.joinable(waiter.request, now) : null;
        if (refusal != null) {
            decide(todo, waiter, refusal);
        } else if (shared != null && mayJoin(shared, now)) {
            joinShared(todo, waiter, shared, now);
        } else if (ours != null) {
            decide(todo, waiter, new WaitOutcome.Busy(ours));
        } else {
            queue = queue.with(waiter);
            if (queue.first() == waiter) {
                makeAttemptDue();
            }
        }
        held.releaseLeft(todo, now); // an idle hold, before the attempt of a writer
        beginOrWithdraw(todo, now); // whether it waits
        if (waiter.queued && (attempt == null || attempt.waiter != waiter)) {
            reportWait(todo, waiter);
        }
        return true;
    }

    synchronized void waitIsOver(Effects todo, Waiter waiter, Moment now) {
        if (!waiter.queued || !waiter.isPast(now.nanos())) {
            return;
        }
        held.expire(todo, now);
        Obstacle ours = held.obstacle(waiter.request.permits(), now);
        Obstacle seen = obstacle != null && waiter.accepts(obstacle) ? obstacle.at(now.nanos()) : null;
        Obstacle known = ours != null ? ours : seen;
        if (queue.first() == waiter && (known != null || attempt == null)) {
            makeAttemptDue(); // its own may have used up a signal
        }
        if (known == null) {
            queue.turnIntoTry(waiter);
        } else {
            endWait(todo, waiter, known.outcome());
        }
    }

    /** The call failed: ends its wait, or gives back a grant that it has not taken. */
    synchronized void cancelCall(Effects todo, Waiter waiter, Moment now) {
        cancelWait(todo, waiter);
        if (waiter.mayTake && waiter.decided instanceof WaitOutcome.Granted granted) {
            waiter.mayTake = false;
            held.giveBack(todo, granted.hold(), waiter.entry, now);
        }
    }

    /** The application completed the future. A delivery under way gives its grant back. */
    synchronized void cancelWait(Effects todo, Waiter waiter) {
        if (waiter.decided == null) {
            if (queue.first() == waiter) {
                makeAttemptDue();
            }
            endWait(todo, waiter, new WaitOutcome.Cancelled());
        }
    }

    synchronized @Nullable Hold enteredBy(HoldOwner owner) {
        return held.enteredBy(owner);
    }

    synchronized Hold.@Nullable State enter(Entry entry, ResolvedRequest request) {
        return held.enter(entry, request);
    }

    /**
     * Called before listeners and the caller receive the grant. False if another reader has announced the hold.
     */
    synchronized boolean announce(Waiter taker, Entry entry) {
        boolean first = held.announce(entry);
        taker.entry = entry;
        return first;
    }

    /** False if it was given back. */
    synchronized boolean take(Waiter taker, Entry entry) {
        boolean taken = taker.mayTake;
        if (taken) {
            held.take(entry, taker.request);
            taker.mayTake = false;
        }
        return taken;
    }

    /** Ends the hold if its lease is over. */
    boolean checkHeld(Hold hold) {
        synchronized (this) {
            if (!hold.isHeld()) {
                return false;
            }
            if (!hold.deadline.isOver(running.now())) {
                return true;
            }
        }
        StackReserve.ensure(); // reporting the loss must not stop half-way
        running.run(this, (todo, now) -> held().expire(todo, now));
        return false;
    }

    synchronized Duration remainingLease(Hold hold, Moment now) {
        return hold.remaining(now);
    }

    synchronized void keepFor(Entry entry, ResolvedRequest request) {
        held.keepFor(entry, request);
    }

    synchronized void dropMinimumHold(Hold hold) {
        held.dropMinimumHold(hold);
    }

    // The held slots

    /** For events ({@link #apply}) that concern only holds. */
    @SuppressWarnings("GuardedBy") // the compiler does not know the monitor of an event
    HeldSlots held() {
        assert Thread.holdsLock(this);
        return held;
    }

    /** Hands a left hold over, if a waiter may have it; otherwise it is released. */
    synchronized void holdLeft(Effects todo, Hold left, Moment now) {
        boolean mayPass = running.limits.max() > 0 && running.refusal.get() == null && left.mayBeHandedOver();
        Waiter successor = mayPass ? queue.find(each -> canTake(each, left.grant)) : null;
        // One without renewal needs a whole lease, so the store grants it.
        if (successor == null || !successor.request.isRenewed()) {
            makeAttemptDue();
        } else if (hasSameTerms(successor, left.request)
                && left.lastsForHandover(now, running.limits)
                && (!queue.isFirstReader() || left.grant.allowsOvertaking(now.nanos(), running.limits))) {
            position = Waiting.NEW;
            startHold(todo, held.handOver(todo, left, successor, now), successor, now);
        } else {
            makeAttemptDue();
            block = left.grant.wasUsedUpEarly(now.nanos(), running.limits)
                    ? Math.min(2 * block, AcquireCommand.MAX_FENCING_TOKENS)
                    : EngineSettings.Handover.FENCING_TOKENS;
        }
    }

    /** Whether the next reader may follow. No caller waits while a hold is idle. */
    synchronized boolean mayIdle(Hold left, Moment now) {
        return left.mayIdle(now)
                && queue.isEmpty()
                && running.limits.max() > 0
                && running.heartbeat.hearsSignals()
                && running.refusal.get() == null
                && !failed;
    }

    /** A hold is shared from now on. */
    synchronized void downgraded(Effects todo, Hold shared, Moment now) {
        if (held.joinable(shared.request, now) == shared) {
            grantToReaders(todo, shared);
        }
        makeAttemptDue();
    }

    /** A slot is no longer held; another attempt may succeed. */
    synchronized void slotFreed() {
        makeAttemptDue();
    }

    /** The answer to the release of a hold. */
    synchronized void released(Effects todo, boolean requeued, ReleaseResult result, Moment now) {
        int othersSignalled = result instanceof ReleaseResult.Released released ? released.signalled() : 0;
        if (requeued) {
            requeued(todo, result, othersSignalled, now);
        } else if (othersSignalled > 0) {
            wanted(now);
        }
    }

    // Answers of the store

    synchronized void answered(Effects todo, Attempt answered, AcquireResult result, Moment now) {
        held.expire(todo, now);
        Obstacle seen = Obstacle.of(result, answered.waiter.request.slots().end(), answered.sent.nanos());
        Grant grant = Objects.requireNonNull(answered.grant);
        if (result instanceof AcquireResult.Granted granted) {
            grant.granted(granted);
        }
        if (attempt != answered) { // begin() failed, for lack of memory, after it had added the command
            if (result instanceof AcquireResult.Granted) {
                releaseUnused(todo, answered, grant);
            }
            return;
        }
        attempt = null;
        if (result instanceof AcquireResult.Granted granted) {
            granted(todo, answered, grant, granted.othersWaiting() > 0, now);
        } else if (seen != null && answered.waiter.attaches()) {
            endWait(todo, answered.waiter, seen.outcome()); // concerns the ticket only
            if (signalledSlot != NONE) {
                makeAttemptDue();
            }
        } else if (seen != null) {
            long newPosition = result instanceof AcquireResult.Contended contended ? contended.position() : Waiting.NEW;
            notGranted(todo, answered, seen, newPosition, now);
        } else if (result instanceof AcquireResult.Rejected rejected) {
            endAfterFailure(todo, answered, new WaitOutcome.Failed(true, rejected.reason(), rejected.cause()));
        } else if (result instanceof AcquireResult.Unknown unknown) {
            releaseUnused(todo, answered, grant);
            endAfterFailure(todo, answered, new WaitOutcome.Failed(false, unknown.reason(), unknown.cause()));
        }
    }

    @GuardedBy("this")
    private void granted(Effects todo, Attempt answered, Grant grant, boolean othersWaiting, Moment now) {
        if (answered.registers()) { // a try does not use the registration
            registered = false;
            position = Waiting.NEW;
            registeredBy = null;
        }
        round = 0;
        int free = Math.max(signalledSlot, answered.signalledSlot);
        signalledSlot = grant.slot < free ? free : NONE; // the store grants the lowest free slot
        makeAttemptDue(); // another slot may be free
        if (answered.wanted || othersWaiting) {
            grant.wanted(now.nanos());
        }
        held.supersede(todo, grant.slot, now);
        Deadline deadline = Deadline.of(answered.sent, answered.waiter.request.leaseNanos());
        WaitOutcome.Failed unusable = whyUnusable(answered, grant, deadline, now);
        Waiter taker = unusable == null ? takerOf(answered, grant) : null;
        if (taker == null) {
            releaseUnused(todo, answered, grant);
            endWait(todo, answered.waiter, unusable == null ? new WaitOutcome.Cancelled() : unusable);
            if (unusable != null) { // another attempt would double their wait
                endTries(todo, any -> true, unusable);
            }
            return;
        }
        long renewAt = answered.waiter.request.renewAt(answered.sent.nanos());
        startHold(todo, held.granted(todo, taker, grant, deadline, renewAt, now), taker, now);
        nextLookAt = NEVER;
    }

    /** Why no caller can take the grant; null if one can. */
    private WaitOutcome.@Nullable Failed whyUnusable(Attempt answered, Grant grant, Deadline deadline, Moment now) {
        WaitOutcome.Failed refusal = running.refusal.get();
        if (refusal != null) {
            return refusal;
        }
        if (grant.revoked) {
            return WaitOutcome.Failed.REVOKED;
        }
        return deadline.isOver(now) ? WaitOutcome.Failed.tooLate(answered.waiter.request.lease()) : null;
    }

    /** The attempt's waiter, or the first with the same terms. */
    @GuardedBy("this")
    private @Nullable Waiter takerOf(Attempt answered, Grant grant) {
        ResolvedRequest request = answered.waiter.request;
        if (answered.waiter.decided == null) {
            return answered.waiter;
        }
        if (request.reads()) {
            return queue.readers(request).stream().findFirst().orElse(null);
        }
        return request.mayBeKept() ? null : queue.find(each -> canTake(each, grant) && hasSameTerms(each, request));
    }

    private static boolean canTake(Waiter waiter, Grant grant) {
        return !waiter.attaches() && waiter.request.slots().contains(grant.slot);
    }

    /** A minimum hold needs a grant of its own, and the store keeps the first owner's takeover time. */
    private static boolean hasSameTerms(Waiter waiter, ResolvedRequest request) {
        return waiter.request.lease().equals(request.lease())
                && waiter.request.crashTakeover().equals(request.crashTakeover())
                && !waiter.request.mayBeKept();
    }

    /** The caller is counted with the decision. */
    @GuardedBy("this")
    private void grant(Effects todo, Waiter taker, Hold granted) {
        decide(todo, taker, new WaitOutcome.Granted(granted));
        held.join(granted);
        taker.mayTake = true;
    }

    /** All that wait here, even if others wait: see the description of the class. */
    @GuardedBy("this")
    private void grantToReaders(Effects todo, Hold shared) {
        for (Waiter each : queue.readers(shared.request)) {
            grant(todo, each, shared);
            queue.remove(each);
        }
    }

    @GuardedBy("this")
    private boolean mayJoin(Hold shared, Moment now) {
        Waiter writer = queue.firstWriter();
        return writer == null || running.limits.isInTime(now.nanos() - Math.max(shared.grantedAt, writer.startedAt));
    }

    @GuardedBy("this")
    private void joinShared(Effects todo, Waiter reader, Hold shared, Moment now) {
        if (shared.isHeld()) {
            grant(todo, reader, shared);
        } else {
            startHold(todo, held.handOver(todo, shared, reader, now), reader, now);
        }
    }

    @GuardedBy("this")
    private void startHold(Effects todo, Hold made, Waiter taker, Moment now) {
        grant(todo, taker, made);
        held.begin(todo, made); // with the decision: its caller receives the hold, even if a later step fails
        queue.remove(taker);
        obstacle = null;
        if (made.isShared()) {
            grantToReaders(todo, made);
        }
        if (!queue.isEmpty()) {
            int taken = held.firstFree();
            WaitOutcome busy = made.obstacle(now).outcome();
            endTries(todo, each -> !each.attaches() && each.request.permits() <= taken, busy);
        }
    }

    @GuardedBy("this")
    private void notGranted(Effects todo, Attempt answered, Obstacle seen, long newPosition, Moment now) {
        obstacle = seen;
        if (newPosition != Waiting.NEW && answered.registers()) {
            position = newPosition;
            registered = true;
            registeredBy = Objects.requireNonNull(answered.grant).token;
        }
        // The event that sent its attempt may have read the clock before its call did.
        endTries(todo, each -> seen.isOutage() || each == answered.waiter || each.accepts(seen), seen.outcome());
        if (answered.waiter.queued && answered.waiter.isPast(now.nanos())) {
            endWait(todo, answered.waiter, seen.outcome());
        }
        if (!queue.hasWaiters()) {
            return;
        }
        boolean signalled =
                signalledSlot != NONE && (signalledSlot < answered.waiter.request.permits() || !answered.registers());
        if (signalled) {
            makeAttemptDue();
        } else if (answered.registers()) {
            sleep(todo, seen, now);
        }
    }

    @GuardedBy("this")
    private void sleep(Effects todo, Obstacle before, Moment now) {
        Waiter first = queue.first();
        if (first != null) {
            int slots = Math.max(queue.maxPermits(), first.request.slots().count());
            nextLookAt = now.nanos() + running.backoff(first, slots, round++, before);
            reportWait(todo, first);
        }
    }

    @GuardedBy("this")
    private void endAfterFailure(Effects todo, Attempt ended, WaitOutcome.Failed failure) {
        if (ended.registers()) {
            endAllWaits(todo, failure);
        } else { // waiters are unaffected; a second attempt would double the tries' wait
            endTries(todo, any -> true, failure);
            if (signalledSlot != NONE) {
                makeAttemptDue();
            }
        }
    }

    /**
     * After a withdrawal or a requeueing release, for which attempts wait. If it was not answered, ends the tries: an
     * attempt would double their wait.
     */
    @GuardedBy("this")
    private void allowAttempts(Effects todo, ReleaseResult result) {
        makeAttemptDue();
        if (attempt == null && result instanceof ReleaseResult.Unknown unknown) {
            endTries(todo, any -> true, new WaitOutcome.Failed(true, unknown.reason(), unknown.cause()));
        }
    }

    @GuardedBy("this")
    private void releaseUnused(Effects todo, Attempt unused, Grant grant) {
        ReleaseCommand release = grant.releaseCommand(key, unused.waiter.request.slots());
        Duration lease = unused.waiter.request.lease();
        todo.add(() -> running.calls.repeatRelease(release, lease));
    }

    @GuardedBy("this")
    private void requeued(Effects todo, ReleaseResult result, int othersSignalled, Moment now) {
        boolean storeKeeps = result instanceof ReleaseResult.Kept;
        registered |= storeKeeps || othersSignalled > 0 || result instanceof ReleaseResult.Unknown;
        position = Waiting.NEW; // the old place was used by the grant
        Waiter first = queue.first();
        boolean onlySlot = first == null || first.request.permits() == 1;
        if (othersSignalled > 0 || (storeKeeps && onlySlot)) {
            obstacle = null; // the lock may be free by now
            round = 0; // a new wait, behind the others
            attemptedPermits = first == null ? 0 : first.request.permits(); // the release was its attempt
            if (signalledSlot != NONE) {
                makeAttemptDue();
            }
            Obstacle before = onlySlot && result instanceof ReleaseResult.Kept kept
                    ? Obstacle.kept(kept.rest())
                    : Obstacle.ELSEWHERE;
            sleep(todo, before, now);
        } else { // another slot may be free
            allowAttempts(todo, result);
        }
    }

    private synchronized void withdrawn(Effects todo, ReleaseResult result) {
        withdrawing = false;
        registered |= retired; // its successor may have lost its registration
        allowAttempts(todo, result); // as may waiters
    }

    // Messages of the mailbox, and of operators

    /** False if this object is retired. */
    synchronized boolean signalled(int slot) {
        if (retired) {
            return false;
        }
        signalledSlot = Math.max(signalledSlot, slot);
        if (attempt == null && slot < queue.maxPermits()) {
            makeAttemptDue();
        }
        registered |= !queue.hasWaiters(); // without waiters, a withdrawal forwards the signal
        return true;
    }

    synchronized void wanted(Moment now) {
        if (attempt != null) {
            attempt.wanted = true;
        }
        held.wanted(now.nanos());
    }

    /** An operator revoked the grant elsewhere. */
    synchronized void revoked(Effects todo, String fingerprint, Moment now) {
        Grant pending = attempt == null ? null : attempt.grant;
        if (pending != null && pending.isOf(fingerprint)) {
            pending.revoked = true;
        }
        held.revoked(todo, fingerprint, now);
    }

    /** Holders keep their locks. */
    synchronized void refuse(Effects todo, WaitOutcome.Failed refusal) {
        endAllWaits(todo, refusal);
    }

    // The watchdog

    @Override
    public void fire() {
        try {
            running.runInTick(this, this::look);
            lookFailed = false;
        } catch (RuntimeException | Error e) {
            boolean first = failure == null && !lookFailed; // otherwise it is reported
            repeatLook(first); // renewals, or the end of a failed object, depend on it
            if (first) {
                lookFailed = true;
                throw e;
            }
        }
    }

    synchronized void look(Effects todo, Moment now) {
        held.look(todo, now);
        if (nextLookAt != NEVER && now.nanos() - nextLookAt >= 0) {
            nextLookAt = NEVER;
            makeAttemptDue();
        }
    }

    // Views for operators

    synchronized List<LockAdmin.WaitingCaller> waiters(Moment now) {
        List<LockAdmin.WaitingCaller> all = new ArrayList<>();
        for (Waiter each = queue.first(); each != null; each = each.behind) {
            all.add(each.snapshot(now.nanos(), all.size() + 1));
        }
        return all;
    }

    synchronized List<HeldLock> held(Moment now) {
        return held.snapshot(now);
    }

    /** Last known owner's instance, if callers wait for it. */
    synchronized Optional<String> watched() {
        return !queue.hasWaiters() || obstacle == null ? Optional.empty() : obstacle.instance();
    }

    synchronized boolean hasWaiters() {
        return queue.hasWaiters();
    }

    synchronized boolean hasWaitersFor(int slot) {
        return queue.hasWaiters() && queue.firstAbove(slot) != null;
    }

    synchronized boolean hasFailed() {
        return failed;
    }

    // Decisions

    @GuardedBy("this")
    private void next(Effects todo, Moment now) {
        held.releaseLeft(todo, now);
        beginOrWithdraw(todo, now);
        queue = queue.isEmpty() ? WaitQueue.EMPTY : queue;
        watch(now);
        retire();
    }

    @GuardedBy("this")
    private void beginOrWithdraw(Effects todo, Moment now) {
        if (retired || (attempt == null && !withdrawing && !held.isRequeueing())) {
            Waiter caller = nextCaller();
            if (caller != null) {
                begin(todo, caller, now);
            } else if (signalledSlot != NONE || (registered && queue.isEmpty())) {
                withdraw(todo);
            }
        }
    }

    /**
     * Since the last attempt something has changed, so the next may get a slot. {@link #next}, which ends the event,
     * begins it for the first waiter that could use a slot not held here, once no other command is under way.
     */
    @GuardedBy("this")
    private void makeAttemptDue() {
        attemptedPermits = 0;
    }

    @GuardedBy("this")
    private @Nullable Waiter nextCaller() {
        if (queue.isEmpty()) {
            return null;
        }
        int taken = held.firstFree();
        int above = signalledSlot == NONE ? taken : Math.min(taken, signalledSlot);
        Waiter waiting = queue.firstAbove(Math.max(above, attemptedPermits));
        Waiter caller = waiting == null ? queue.firstTry() : waiting;
        return caller != null && (caller.attaches() || caller.request.permits() > above) ? caller : null;
    }

    @GuardedBy("this")
    private void begin(Effects todo, Waiter caller, Moment now) {
        caller.attempts++;
        int permits = caller.request.permits();
        boolean uses = signalledSlot < permits && !caller.attaches();
        int used = uses ? signalledSlot : NONE;
        signalledSlot = uses ? NONE : signalledSlot;
        if (caller.queued) {
            attemptedPermits = permits;
            nextLookAt = NEVER;
        }
        boolean othersWaiting = !caller.attaches() && (caller.hadToWait || queue.hasSeveralWaiters());
        boolean handsOver = othersWaiting && !caller.request.reads();
        int tokens = handsOver ? Math.min(block, running.capabilities.fencingTokens()) : 1;
        Attempt begun =
                new Attempt(caller, caller.queued ? running.waitingAt(position) : Optional.empty(), tokens, used, now);
        todo.add(() -> running.send(begun));
        attempt = begun;
    }

    @GuardedBy("this")
    private void withdraw(Effects todo) {
        LockToken known = registeredBy;
        int slot = Math.max(0, signalledSlot);
        long place = queue.hasWaiters() ? position : Waiting.NEW; // waiters for other slots keep it
        if (retired) {
            todo.add(() -> running.signal(key, slot)); // its successor looks, or withdraws
        } else {
            Withdrawal withdrawal = new Withdrawal();
            todo.add(() -> running.withdraw(key, known, slot, place, withdrawal));
            withdrawing = true;
        }
        registered = false;
        signalledSlot = NONE; // the withdrawal forwards it
        position = place;
        registeredBy = null;
    }

    private final class Withdrawal implements StoreCalls.Continuation<ReleaseResult> {

        @Override
        public void accept(ReleaseResult result) {
            running.run(KeyLock.this, (todo, now) -> withdrawn(todo, result));
        }

        @Override
        public void failed(Throwable cause) {
            fail(cause);
        }
    }

    // Ends of waits

    @GuardedBy("this")
    private void endWait(Effects todo, Waiter waiter, WaitOutcome outcome) {
        decide(todo, waiter, outcome);
        queue.remove(waiter);
    }

    private static void decide(Effects todo, Waiter waiter, WaitOutcome outcome) {
        if (waiter.decided == null) {
            todo.add(() -> waiter.outcome.complete(outcome));
            waiter.decided = outcome;
        }
    }

    @GuardedBy("this")
    private void reportWait(Effects todo, Waiter waiter) {
        if (!waiter.hadToWait) {
            waiter.hadToWait = true;
            LockEvent contended = new LockEvent.Contended(waiter.request.name(), key);
            todo.add(() -> running.events.publish(contended));
        }
    }

    @GuardedBy("this")
    private void endAllWaits(Effects todo, WaitOutcome outcome) {
        queue.takeWaiters(each -> decide(todo, each, outcome));
        endTries(todo, any -> true, outcome);
    }

    @GuardedBy("this")
    private void endTries(Effects todo, Predicate<Waiter> which, WaitOutcome outcome) {
        queue.takeTries(which, each -> decide(todo, each, outcome));
    }

    // Timer and retirement

    @GuardedBy("this")
    private void watch(Moment now) {
        long next = Math.min(queue.hasWaiters() ? nextLookAt : NEVER, held.nextLookAt(now));
        if (next != NEVER) {
            running.timer.schedule(this, next);
        }
    }

    @GuardedBy("this")
    private void retire() {
        boolean busy = !queue.isEmpty() || attempt != null || withdrawing || held.isReleasing();
        if (held.isEmpty() && (retired || !busy)) {
            running.timer.cancel(this);
            running.forget(this);
            retired = true;
        }
    }
}

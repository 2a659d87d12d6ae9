package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin.Waiter;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.backend.HighestFencingTokens;
import io.github.lockstarter.engine.backend.LockTokenFactory;
import io.github.lockstarter.engine.backend.PendingReleases;
import io.github.lockstarter.engine.backend.RecentRevocations;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.heartbeat.Heartbeats;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Grant;
import io.github.lockstarter.engine.hold.Grant.Asked;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Hold.Spec;
import io.github.lockstarter.engine.hold.HoldOwner;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.queue.AcquireAttempt;
import io.github.lockstarter.engine.queue.AcquireOutcome;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.engine.queue.Backoff;
import io.github.lockstarter.engine.queue.KeyQueue;
import io.github.lockstarter.engine.queue.KeyQueues;
import io.github.lockstarter.engine.queue.Obstacle;
import io.github.lockstarter.engine.queue.QueueActions;
import io.github.lockstarter.engine.release.LockReleaser;
import io.github.lockstarter.engine.renewal.Watchdog;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what the {@link KeyQueue}s decide: sends attempts, turns grants into holds, and releases grants that no
 * caller takes. Called by callers, the timer, and the backend's threads; keeps no state of its own but {@link
 * #closed}.
 */
final class AttemptRunner {

    private static final AcquireOutcome.Failed TAKEN_AWAY =
            AcquireOutcome.Failed.unknown("an operator took it away at the moment of the grant", null);

    private final BackendCalls backend;
    private final EngineClock clock;
    private final EventDispatcher events;
    private final Holds holds;
    private final RecentRevocations recentRevocations;
    private final LockReleaser releaser;
    private final PendingReleases pendingReleases;
    private final Watchdog watchdog;
    private final LockTokenFactory tokens;
    private final AttemptTokens attemptTokens;
    private final Heartbeats heartbeats;
    private final Duration patience;

    /** When a waiter looks again at the latest where a release does not wake it. */
    private final Optional<Duration> withoutSignals;

    private final Optional<Waiting> newWaiter;
    private final KeyQueues queues;
    private final HighestFencingTokens highest = new HighestFencingTokens();

    private final Consumer<Acquisition> onAlarm = this::onAlarm;

    private volatile AcquireOutcome.@Nullable Failed closed;

    AttemptRunner(
            EngineContext context,
            KeyQueues queues,
            PendingReleases pendingReleases,
            LockReleaser releaser,
            Watchdog watchdog) {
        this.backend = context.backend();
        this.clock = context.clock();
        this.events = context.events();
        this.holds = context.holds();
        this.recentRevocations = context.recentRevocations();
        this.tokens = context.tokens();
        this.heartbeats = context.heartbeats();
        this.attemptTokens = new AttemptTokens(tokens, heartbeats);
        this.queues = queues;
        this.releaser = releaser;
        this.pendingReleases = pendingReleases;
        this.watchdog = watchdog;
        this.patience = Backoff.patience(context.settings().maxRetryDelay());
        this.withoutSignals = Optional.of(context.settings().maxRetryDelay());
        this.newWaiter = Optional.of(new Waiting(Waiting.NEW, patience));
    }

    /** An acquisition that is to {@link #begin}. */
    Acquisition prepare(String key, ResolvedRequest terms, HoldOwner owner) {
        return new Acquisition(key, terms, owner, clock.nanos(), onAlarm);
    }

    /** Begins; the outcome follows. */
    void begin(Acquisition acquisition) {
        AcquireOutcome.Failed refusal = closed;
        if (refusal != null) {
            acquisition.end(refusal);
            return;
        }
        if (acquisition.waits()) {
            execute(acquisition.key, queues.join(acquisition));
        } else {
            tryOnce(acquisition);
        }
        refuseIfClosed(acquisition);
    }

    /** What this instance holds itself needs no asking. */
    private void tryOnce(Acquisition acquisition) {
        Optional<Obstacle> ours = holds.here(acquisition.key).flatMap(Obstacle::of);
        if (ours.isPresent()) {
            acquisition.end(new AcquireOutcome.Busy(ours.get()));
        } else {
            acquisition.attempts = 1;
            LockToken token = attemptTokens.next(acquisition);
            sendOrFail(new AcquireAttempt(acquisition, token, Waiting.NEW, 1));
        }
    }

    /** After joining, so that {@link #close} has either seen the acquisition in its queue or is seen here. */
    private void refuseIfClosed(Acquisition acquisition) {
        AcquireOutcome.Failed refusal = closed;
        if (refusal != null) {
            leave(acquisition, refusal);
        }
    }

    /** The caller does not want the lock any more. Without effect on one that has its outcome. */
    void abandon(Acquisition acquisition) {
        leave(acquisition, new AcquireOutcome.Abandoned());
    }

    /**
     * The thread that decides the outcome also takes the caller out of the queue. What the attempt acquires is given
     * back with its answer.
     */
    private void leave(Acquisition acquisition, AcquireOutcome outcome) {
        if (acquisition.decide(outcome)) {
            try {
                decide(acquisition.key, queue -> queue.leave(acquisition));
            } finally {
                acquisition.publish();
            }
        }
    }

    /** The lock may be free. */
    void signal(String key) {
        if (queues.has(key)) {
            decide(key, KeyQueue::signal);
        } else {
            pendingReleases.withdraw(key, tokens.next()); // no waiter: the store signals the next instance
            wakeNewcomers(key);
        }
    }

    List<Waiter> waiters() {
        return queues.waiters(clock.nanos());
    }

    /** Signals may have been missed. */
    void signalAll() {
        queues.keys().forEach(this::signal);
    }

    /** Ends every wait, and refuses from now on. */
    void close() {
        AcquireOutcome.Failed refusal = AcquireOutcome.Failed.SHUT_DOWN;
        closed = refusal;
        queues.close();
        for (String key : queues.keys()) {
            decide(key, queue -> queue.failAll(refusal));
        }
    }

    /** Accepts attempts again. */
    void open() {
        queues.open();
        closed = null;
    }

    boolean isClosed() {
        return closed != null;
    }

    private void onAlarm(Acquisition acquisition) {
        long now = clock.nanos();
        decide(acquisition.key, queue -> queue.alarm(acquisition, now));
    }

    /** Lets the queue of the key decide, and does what it decided. */
    private void decide(String key, Function<KeyQueue, QueueActions> decision) {
        execute(key, queues.apply(key, decision));
    }

    /** Does what a queue decided. */
    void execute(String key, QueueActions next) {
        LockToken withdrawal = next.withdrawal();
        AcquireAttempt attempt = next.attempt();
        try {
            if (withdrawal != null) {
                pendingReleases.withdraw(key, withdrawal);
            }
            if (attempt != null) {
                sendOrFail(attempt);
            } else if (withdrawal != null) {
                wakeNewcomers(key);
            }
        } finally {
            next.publish();
        }
        Acquisition queued = next.queued();
        if (queued != null) {
            events.publish(new LockEvent.Contended(queued.terms.name(), key));
        }
    }

    /**
     * A caller that came after the last waiter had left may have lost its registration to the withdrawal: it registers
     * again.
     */
    private void wakeNewcomers(String key) {
        if (queues.has(key)) {
            decide(key, KeyQueue::signal);
        }
    }

    /** The queue counts on an answer. */
    private void sendOrFail(AcquireAttempt attempt) {
        try {
            send(attempt);
        } catch (RuntimeException | Error e) {
            failed(attempt, e);
            throw e;
        }
    }

    private void send(AcquireAttempt attempt) {
        Acquisition acquisition = attempt.acquisition();
        AcquireCommand command = new AcquireCommand(
                acquisition.key,
                attempt.token(),
                acquisition.terms.lease(),
                highest.floor(acquisition.key),
                attempt.fencingTokens(),
                waitingOf(attempt),
                acquisition.terms.atLeast());
        Moment sent = Moment.now(clock);
        Asked asked = new Asked(
                attempt.token(),
                attempt.fencingTokens(),
                acquisition.terms,
                sent,
                heartbeats.certaintyOf(acquisition.key, attempt.token()));
        backend.acquire(command, result -> take(attempt, asked, result));
    }

    private void take(AcquireAttempt attempt, Asked asked, AcquireResult result) {
        try {
            answered(attempt, asked, result);
        } catch (RuntimeException | Error e) {
            EngineLog.report("Processing the result of an attempt", e);
            failed(attempt, e);
        }
    }

    private Optional<Waiting> waitingOf(AcquireAttempt attempt) {
        if (!attempt.acquisition().waits()) {
            return Optional.empty();
        }
        return attempt.position() == Waiting.NEW ? newWaiter : Optional.of(new Waiting(attempt.position(), patience));
    }

    /** What the attempt may have been granted is released, unless its caller has it. */
    private void failed(AcquireAttempt attempt, Throwable cause) {
        AcquireOutcome.Failed failure = AcquireOutcome.Failed.unknown("the lock client failed unexpectedly", cause);
        Acquisition acquisition = attempt.acquisition();
        if (!acquisition.end(failure)) {
            acquisition.publish(); // the thread that decided it may be the one that failed
        }
        try {
            boolean isHeld = acquisition
                    .hold()
                    .filter(hold -> hold.grant.token.equals(attempt.token()))
                    .isPresent();
            if (!isHeld) {
                giveBack(attempt);
            }
        } finally {
            failed(attempt, failure);
        }
    }

    private void answered(AcquireAttempt attempt, Asked asked, AcquireResult result) {
        if (result instanceof AcquireResult.Granted granted) {
            granted(attempt, asked, granted);
        } else if (result instanceof AcquireResult.Contended contended) {
            notGranted(attempt, obstacleTo(attempt, contended), contended.position());
        } else if (result instanceof AcquireResult.Recovering recovering) {
            notGranted(attempt, Obstacle.recovering(recovering), Waiting.NEW);
            Acquisition acquisition = attempt.acquisition();
            events.publish(
                    new LockEvent.Recovering(acquisition.terms.name(), acquisition.key, recovering.retryAfter()));
        } else if (result instanceof AcquireResult.Unavailable unavailable) {
            AcquireOutcome.Failed failure =
                    AcquireOutcome.Failed.withoutGrant(unavailable.reason(), unavailable.cause());
            notGranted(attempt, Obstacle.unavailable(failure), Waiting.NEW);
        } else if (result instanceof AcquireResult.Rejected rejected) {
            failed(attempt, AcquireOutcome.Failed.withoutGrant(rejected.reason(), rejected.cause()));
        } else if (result instanceof AcquireResult.Unknown unknown) {
            giveBack(attempt);
            failed(attempt, AcquireOutcome.Failed.unknown(unknown.reason(), unknown.cause()));
        }
    }

    private Obstacle obstacleTo(AcquireAttempt attempt, AcquireResult.Contended contended) {
        if (contended.kept()) {
            return Obstacle.kept(contended.remainingLease());
        }
        Obstacle owner = Obstacle.heldElsewhere(contended.holder(), contended.remainingLease())
                .lookedAtWithin(contended.lookAgain());
        String key = attempt.acquisition().key;
        return contended
                .holder()
                .filter(any -> heartbeats.lookAtOwners(key))
                .map(holder -> owner.watchedAt(holder.instance()))
                .map(watched -> heartbeats.hearsSignals(key) ? watched : watched.lookedAtWithin(withoutSignals))
                .orElse(owner);
    }

    private void granted(AcquireAttempt attempt, Asked asked, AcquireResult.Granted granted) {
        Acquisition acquisition = attempt.acquisition();
        Grant grant = new Grant(asked, granted);
        highest.saw(acquisition.key, grant.lastFencingToken);
        Spec spec = Spec.first(acquisition.key, grant, asked.sent(), acquisition.terms);
        // Decided: the attempt was left to waiters that are owed its answer, if any.
        if (spec.deadline().isOver(clock) || acquisition.isDecided()) {
            giveBack(attempt, grant);
            AcquireOutcome.Failed tooLate = AcquireOutcome.Failed.tooLate(acquisition.terms.lease());
            settle(acquisition, queue -> queue.grantedTooLate(attempt, tooLate), tooLate);
            return;
        }
        if (granted.othersWaiting() > 0) {
            grant.wanted(clock.nanos());
        }
        Hold hold = new Hold(spec, acquisition, clock, watchdog.timerTask());
        holds.add(hold);
        AcquireOutcome outcome = new AcquireOutcome.Got(hold);
        try {
            watchdog.watch(hold);
            watchdog.confirmIfNeeded(hold);
            handOut(attempt, outcome);
        } finally {
            if (!acquisition.wasDecided(outcome)) {
                releaser.discard(hold);
            }
        }
    }

    private void handOut(AcquireAttempt attempt, AcquireOutcome got) {
        Acquisition acquisition = attempt.acquisition();
        // Both are read after the hold can be seen, by a thread that closes the engine, and by one that learns of a
        // revocation.
        AcquireOutcome.Failed refusal =
                recentRevocations.contains(acquisition.key, attempt.token()) ? TAKEN_AWAY : closed;
        AcquireOutcome outcome = refusal == null ? got : refusal;
        settle(acquisition, queue -> queue.granted(attempt, outcome, clock.nanos()), outcome);
    }

    /** Ends an acquisition that does not wait; for one that waits, its queue decides. */
    private void settle(
            Acquisition acquisition, Function<KeyQueue, QueueActions> decision, AcquireOutcome withoutWait) {
        if (acquisition.waits()) {
            decide(acquisition.key, decision);
        } else {
            acquisition.end(withoutWait);
        }
    }

    /** It is unknown whether it was granted. */
    private void giveBack(AcquireAttempt attempt) {
        Acquisition acquisition = attempt.acquisition();
        pendingReleases.addAttempt(new ReleaseCommand(acquisition.key, attempt.token(), 0), acquisition.terms.lease());
    }

    private void giveBack(AcquireAttempt attempt, Grant grant) {
        Acquisition acquisition = attempt.acquisition();
        pendingReleases.add(
                new ReleaseCommand(acquisition.key, attempt.token(), grant.lastFencingToken),
                acquisition.terms.lease());
    }

    private void notGranted(AcquireAttempt attempt, Obstacle obstacle, long position) {
        settle(
                attempt.acquisition(),
                queue -> queue.contended(attempt, obstacle, position, clock.nanos()),
                obstacle.outcome());
    }

    private void failed(AcquireAttempt attempt, AcquireOutcome.Failed failure) {
        settle(attempt.acquisition(), queue -> queue.failed(attempt, failure), failure);
    }
}

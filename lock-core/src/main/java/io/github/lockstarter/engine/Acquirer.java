package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockOversight.Waiter;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.Hold.Grant;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets locks: sends the attempts that the {@link KeyQueue}s decide on, turns grants into holds, and gives back what nobody
 * wants any more. Called by callers, the timer, and the backend's threads; keeps no state of its own but {@link #closed}.
 */
final class Acquirer {

    private static final Outcome.Failed TAKEN_AWAY =
            new Outcome.Failed("an operator took it away in the moment it was granted", null);

    private final BackendCalls backend;
    private final EngineClock clock;
    private final Events events;
    private final Holds holds;
    private final Revocations revocations;
    private final Exits exits;
    private final Withdrawals withdrawals;
    private final Watchdog watchdog;
    private final Tokens tokens;
    private final Duration patience;
    private final WaitQueues queues;
    private final FencingFloors floors = new FencingFloors();

    private final Consumer<Acquisition> onAlarm = this::onAlarm;

    private volatile Outcome.@Nullable Failed closed;

    Acquirer(Core core, Waiters waiters, Exits exits, Watchdog watchdog) {
        this.backend = core.backend();
        this.clock = core.clock();
        this.events = core.events();
        this.holds = core.holds();
        this.revocations = core.revocations();
        this.tokens = core.tokens();
        this.queues = waiters.queues();
        this.exits = exits;
        this.withdrawals = waiters.withdrawals();
        this.watchdog = watchdog;
        this.patience = new Backoff(core.settings().retry()).patience();
    }

    /** An acquisition that is to {@link #begin}. */
    Acquisition prepare(String key, Terms terms, Owner owner) {
        return new Acquisition(key, terms, owner, clock.nanos(), onAlarm);
    }

    /** Begins; the outcome follows. */
    void begin(Acquisition acquisition) {
        if (acquisition.waits()) {
            carryOut(acquisition.key, queues.join(acquisition));
        } else {
            tryOnce(acquisition);
        }
        refuseIfClosed(acquisition);
    }

    /** What this instance holds itself needs no asking. */
    private void tryOnce(Acquisition acquisition) {
        Optional<Standing> ours = holds.here(acquisition.key).flatMap(Hold::obstacle);
        if (ours.isPresent()) {
            acquisition.end(new Outcome.Busy(ours.get()));
        } else {
            acquisition.attempts = 1;
            sendOrFail(new Attempt(acquisition, tokens.next(), Waiting.NEW, 1));
        }
    }

    /** After joining, so that {@link #close} has either seen the acquisition in its queue or is seen here. */
    private void refuseIfClosed(Acquisition acquisition) {
        Outcome.Failed refusal = closed;
        if (refusal != null) {
            leave(acquisition, refusal);
        }
    }

    /** The caller does not want the lock any more. Without effect on one that has its outcome. */
    void abandon(Acquisition acquisition) {
        leave(acquisition, new Outcome.Abandoned());
    }

    /**
     * Whoever decides the outcome also sees to the place in the queue: leaving it withdraws what the attempt acquires, now or
     * with its answer.
     */
    private void leave(Acquisition acquisition, Outcome outcome) {
        if (acquisition.decide(outcome)) {
            try {
                carryOut(acquisition.key, queues.ask(acquisition.key, queue -> queue.leave(acquisition)));
            } finally {
                acquisition.publish();
            }
        }
    }

    /** The lock may be free. */
    void signal(String key) {
        if (queues.has(key)) {
            carryOut(key, queues.ask(key, KeyQueue::signal));
        } else {
            withdrawals.send(
                    key, tokens.next()); // nobody waits here any more: passes the signal on if the lock is free
            wakeNewcomers(key);
        }
    }

    /** As {@link LocalWaiters#freed}. */
    void freed(String key) {
        carryOut(key, queues.ask(key, KeyQueue::freed));
    }

    /** As {@link LocalWaiters#requeued}. If nobody is left who waits, the registration is withdrawn. */
    void requeued(String key, Duration lease) {
        long now = clock.nanos();
        carryOut(key, queues.askAny(key, queue -> queue.requeued(lease, now)));
    }

    /** As {@link LocalWaiters#perhapsRequeued}. If nobody is left who waits, the registration is withdrawn. */
    void perhapsRequeued(String key) {
        carryOut(key, queues.askAny(key, KeyQueue::perhapsRequeued));
    }

    /**
     * Another instance waits. The notice may overtake the answer that tells of the grant: then the queue knows of an attempt,
     * and passes it on.
     */
    void wanted(String key) {
        queues.ask(key, KeyQueue::wanted);
        holds.here(key).ifPresent(hold -> hold.tenure.wanted(clock.nanos()));
    }

    List<Waiter> waiters() {
        return queues.waiters(clock.nanos());
    }

    /** Signals may have been missed. */
    void signalAll() {
        queues.keys().forEach(this::signal);
    }

    /** Ends every wait with the failure, and refuses from now on. */
    void close(Outcome.Failed refusal) {
        closed = refusal;
        queues.close();
        for (String key : queues.keys()) {
            carryOut(key, queues.ask(key, queue -> queue.failAll(refusal)));
        }
    }

    private void onAlarm(Acquisition acquisition) {
        long now = clock.nanos();
        carryOut(acquisition.key, queues.ask(acquisition.key, queue -> queue.alarm(acquisition, now)));
    }

    private void carryOut(String key, Next next) {
        LockToken withdrawal = next.withdrawal();
        Attempt attempt = next.attempt();
        try {
            if (withdrawal != null) {
                withdrawals.send(key, withdrawal);
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
            events.contended(new LockEvent.Contended(queued.terms.name(), key));
        }
    }

    /** Whoever came after the last waiter had left may have lost its registration to the withdrawal: it registers again. */
    private void wakeNewcomers(String key) {
        if (queues.has(key)) {
            carryOut(key, queues.ask(key, KeyQueue::signal));
        }
    }

    /** The queue counts on an answer. */
    private void sendOrFail(Attempt attempt) {
        try {
            send(attempt);
        } catch (RuntimeException | Error e) {
            failed(attempt, e);
            throw e;
        }
    }

    private void send(Attempt attempt) {
        Acquisition acquisition = attempt.acquisition();
        Optional<Waiting> waiting =
                acquisition.waits() ? Optional.of(new Waiting(attempt.position(), patience)) : Optional.empty();
        AcquireCommand command = new AcquireCommand(
                acquisition.key,
                attempt.token(),
                acquisition.terms.lease(),
                floors.floor(acquisition.key),
                attempt.fencingTokens(),
                waiting);
        Moment sent = Moment.now(clock);
        backend.acquire(
                command,
                result -> Faults.guard(
                        "Taking the answer for a lock",
                        () -> answered(attempt, sent, result),
                        e -> failed(attempt, e)));
    }

    /** What the attempt may have been granted is released, unless its caller has it. */
    private void failed(Attempt attempt, Throwable cause) {
        Outcome.Failed failure = new Outcome.Failed("the lock client failed unexpectedly", cause);
        Acquisition acquisition = attempt.acquisition();
        if (!acquisition.end(failure)) {
            acquisition.publish(); // whoever decided it may be the one that failed
        }
        try {
            if (!acquisition.isGot()) {
                withdrawals.giveBack(attempt, 0);
            }
        } finally {
            failed(attempt, failure);
        }
    }

    private void answered(Attempt attempt, Moment sent, AcquireResult result) {
        if (result instanceof AcquireResult.Granted granted) {
            granted(attempt, sent, granted);
        } else if (result instanceof AcquireResult.Contended contended) {
            Standing standing = Standing.heldElsewhere(contended.holder(), contended.remainingLease());
            notGranted(attempt, standing, contended.position());
        } else if (result instanceof AcquireResult.Recovering recovering) {
            notGranted(attempt, Standing.recovering(recovering), Waiting.NEW);
            Acquisition acquisition = attempt.acquisition();
            events.recovering(
                    new LockEvent.Recovering(acquisition.terms.name(), acquisition.key, recovering.retryAfter()));
        } else if (result instanceof AcquireResult.Unavailable unavailable) {
            Outcome.Failed failure = new Outcome.Failed(unavailable.reason(), unavailable.cause());
            notGranted(attempt, Standing.unavailable(failure), Waiting.NEW);
        } else if (result instanceof AcquireResult.Rejected rejected) {
            failed(attempt, new Outcome.Failed(rejected.reason(), rejected.cause()));
        } else if (result instanceof AcquireResult.Unknown unknown) {
            withdrawals.giveBack(attempt, 0);
            failed(attempt, new Outcome.Failed(unknown.reason(), unknown.cause()));
        }
    }

    private void granted(Attempt attempt, Moment sent, AcquireResult.Granted granted) {
        Acquisition acquisition = attempt.acquisition();
        Tenure tenure = new Tenure(attempt, granted.fencingToken(), sent.nanos());
        floors.saw(acquisition.key, tenure.lastFencingToken);
        Grant grant = Grant.first(acquisition.key, tenure, sent, acquisition.terms);
        if (grant.deadline().isOver(clock)) {
            withdrawals.giveBack(attempt, tenure.lastFencingToken);
            tooLate(attempt);
            return;
        }
        if (acquisition.isDecided()) {
            withdrawals.giveBack(attempt, tenure.lastFencingToken);
            tooLate(attempt); // whoever decided that has left the attempt to those who are owed its answer, if any
            return;
        }
        if (granted.othersWaiting() > 0) {
            tenure.wanted(clock.nanos());
        }
        Hold hold = new Hold(grant, acquisition, clock, watchdog.timerTask());
        holds.add(hold);
        Outcome outcome = new Outcome.Got(hold);
        try {
            watchdog.watch(hold);
            handOut(attempt, outcome);
        } finally {
            if (!acquisition.wasDecided(outcome)) {
                exits.discard(hold);
            }
        }
    }

    private void handOut(Attempt attempt, Outcome got) {
        Acquisition acquisition = attempt.acquisition();
        // Both read after the hold can be seen: by who closes, and by who hears that it was taken away.
        Outcome.Failed refusal = revocations.tellOf(acquisition.key, attempt.token()) ? TAKEN_AWAY : closed;
        Outcome outcome = refusal == null ? got : refusal;
        if (acquisition.waits()) {
            carryOut(
                    acquisition.key,
                    queues.ask(acquisition.key, queue -> queue.granted(attempt, outcome, clock.nanos())));
        } else {
            acquisition.end(outcome);
        }
    }

    private void tooLate(Attempt attempt) {
        Acquisition acquisition = attempt.acquisition();
        Outcome.Failed failure = Outcome.Failed.tooLate(acquisition.terms.lease());
        if (acquisition.waits()) {
            carryOut(acquisition.key, queues.ask(acquisition.key, queue -> queue.grantedTooLate(attempt, failure)));
        } else {
            acquisition.end(failure);
        }
    }

    private void notGranted(Attempt attempt, Standing standing, long position) {
        Acquisition acquisition = attempt.acquisition();
        if (acquisition.waits()) {
            long now = clock.nanos();
            carryOut(
                    acquisition.key,
                    queues.ask(acquisition.key, queue -> queue.contended(attempt, standing, position, now)));
        } else {
            acquisition.end(standing.outcome());
        }
    }

    private void failed(Attempt attempt, Outcome.Failed failure) {
        Acquisition acquisition = attempt.acquisition();
        if (acquisition.waits()) {
            carryOut(acquisition.key, queues.ask(acquisition.key, queue -> queue.failed(attempt, failure)));
        } else {
            acquisition.end(failure);
        }
    }
}

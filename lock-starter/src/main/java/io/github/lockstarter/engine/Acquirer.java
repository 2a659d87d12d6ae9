package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.Hold.Grant;
import io.github.lockstarter.engine.Standing.Obstacle;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gets locks: sends the attempts that the {@link KeyQueue}s decide on, turns grants into holds, and gives back what nobody
 * wants any more. Called by callers, the timer, and the backend's threads; keeps no state of its own but {@link #closed}.
 */
final class Acquirer {

    private final BackendCalls backend;
    private final EngineClock clock;
    private final Events events;
    private final Holds holds;
    private final Releases releases;
    private final Cleanups cleanups;
    private final Watchdog watchdog;
    private final Tokens tokens;
    private final Duration longestLease;
    private final Backoff backoff;
    private final WaitQueues queues;
    private final FencingFloors floors = new FencingFloors();

    private volatile Outcome.@Nullable Failed closed;

    Acquirer(Core core, Releases releases, Cleanups cleanups, Watchdog watchdog) {
        this.backend = core.backend();
        this.clock = core.clock();
        this.events = core.events();
        this.holds = core.holds();
        this.tokens = core.tokens();
        this.releases = releases;
        this.cleanups = cleanups;
        this.watchdog = watchdog;
        this.longestLease = core.settings().maxLease();
        this.backoff = new Backoff(core.settings().retry());
        this.queues = new WaitQueues(tokens::next, backoff, core.timer());
    }

    /** Begins; the outcome follows. */
    Acquisition begin(String key, Terms terms, Owner owner) {
        Acquisition acquisition = new Acquisition(key, terms, owner, clock.nanos(), this::onAlarm);
        if (acquisition.waits()) {
            carryOut(key, queues.join(acquisition));
        } else {
            acquisition.attempts = 1;
            send(new Attempt(acquisition, tokens.next(), Waiting.NEW));
        }
        refuseIfClosed(acquisition);
        return acquisition;
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

    /** Whoever decides the outcome also sees to the place in the queue: leaving it withdraws what the attempt acquires. */
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
            withdraw(key, tokens.next()); // nobody waits here any more: passes the signal on if the lock is free
            wakeNewcomers(key);
        }
    }

    /** Signals may have been missed. */
    void signalAll() {
        queues.keys().forEach(this::signal);
    }

    /** Ends every wait with the failure, and refuses from now on. */
    void close(Outcome.Failed refusal) {
        closed = refusal;
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
        if (withdrawal != null) {
            withdraw(key, withdrawal);
        }
        if (attempt != null) {
            send(attempt);
        } else if (withdrawal != null) {
            wakeNewcomers(key);
        }
        next.decided().forEach(Acquisition::publish);
        Acquisition queued = next.queued();
        if (queued != null) {
            events.contended(new LockEvent.Contended(queued.terms.name(), key));
        }
    }

    private void withdraw(String key, LockToken token) {
        backend.withdraw(new WithdrawCommand(key, token), result -> {
            if (result instanceof WithdrawResult.Unknown) {
                cleanups.add(new ReleaseCommand(key, token, 0), longestLease);
            }
        });
    }

    /** Whoever came after the last waiter had left may have lost its registration to the withdrawal: it registers again. */
    private void wakeNewcomers(String key) {
        if (queues.has(key)) {
            carryOut(key, queues.ask(key, KeyQueue::signal));
        }
    }

    private void send(Attempt attempt) {
        Acquisition acquisition = attempt.acquisition();
        Optional<Waiting> waiting = acquisition.waits()
                ? Optional.of(new Waiting(attempt.position(), backoff.patience()))
                : Optional.empty();
        AcquireCommand command = new AcquireCommand(
                acquisition.key, attempt.token(), acquisition.terms.lease(), floors.floor(acquisition.key), 1, waiting);
        Moment sent = Moment.now(clock);
        backend.acquire(
                command,
                result -> Faults.guard("Taking the answer for a lock", () -> answered(attempt, sent, result), e -> {
                    Outcome.Failed failure = new Outcome.Failed("the lock client failed unexpectedly", e);
                    acquisition.end(failure);
                    if (!acquisition.isGot()) {
                        giveBack(attempt, 0);
                    }
                    failed(attempt, failure);
                }));
    }

    private void answered(Attempt attempt, Moment sent, AcquireResult result) {
        if (result instanceof AcquireResult.Granted granted) {
            granted(attempt, sent, granted.fencingToken());
        } else if (result instanceof AcquireResult.Contended contended) {
            notGranted(attempt, new Standing(Obstacle.OWNER, contended.remainingLease()), contended.position());
        } else if (result instanceof AcquireResult.Recovering recovering) {
            notGranted(attempt, new Standing(Obstacle.RECOVERY, Optional.of(recovering.retryAfter())), Waiting.NEW);
        } else if (result instanceof AcquireResult.Rejected rejected) {
            failed(attempt, new Outcome.Failed(rejected.reason(), rejected.cause()));
        } else if (result instanceof AcquireResult.Unknown unknown) {
            giveBack(attempt, 0);
            failed(attempt, new Outcome.Failed(unknown.reason(), unknown.cause()));
        }
    }

    private void granted(Attempt attempt, Moment sent, long fencingToken) {
        Acquisition acquisition = attempt.acquisition();
        floors.saw(acquisition.key, fencingToken);
        if (Deadline.of(sent, acquisition.terms.leaseNanos()).isOver(clock)) {
            giveBack(attempt, fencingToken);
            tooLate(attempt);
            return;
        }
        Grant grant = new Grant(acquisition.key, attempt.token(), fencingToken, sent);
        Hold hold = new Hold(grant, acquisition.terms, acquisition.owner, clock, watchdog::look);
        holds.add(hold);
        watchdog.watch(hold);
        Outcome.Failed refusal = closed; // read after the hold can be seen by who closes
        Outcome outcome = refusal == null ? new Outcome.Got(hold) : refusal;
        if (!acquisition.end(outcome) || refusal != null) {
            releases.exit(hold);
        }
        if (acquisition.waits()) {
            carryOut(acquisition.key, queues.ask(acquisition.key, queue -> queue.granted(attempt)));
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
            acquisition.end(new Outcome.Busy(standing));
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

    private void giveBack(Attempt attempt, long fencingToken) {
        Acquisition acquisition = attempt.acquisition();
        cleanups.add(new ReleaseCommand(acquisition.key, attempt.token(), fencingToken), acquisition.terms.lease());
    }
}

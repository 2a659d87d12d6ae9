package io.github.lockstarter.engine.heartbeat;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.engine.timer.TimerEntry;
import io.github.lockstarter.engine.timer.TimerWheel;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.CrashDetection;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Asks one store again and again whether it hears this instance, and remembers the last time at which it certainly did:
 * when the last question was sent that has a positive answer.
 *
 * <p>An <em>epoch</em> is a time without interruption: one connection, each question answered with yes, and less than
 * a take-over time between the sending of one and the answer to the next. What the store confirmed in an earlier epoch
 * may have been marked for a take-over since, and has to be confirmed anew.
 *
 * <p>The timer's thread asks; answers come on any thread. All that an answer changes is in {@link #state}. An answer
 * that comes behind the answer to a later question is ignored.
 */
final class Heartbeat extends TimerEntry {

    /** How many questions are asked in one take-over time. */
    private static final int QUESTIONS = 4;

    private static final long NONE = 0;

    /**
     * What the latest answer said.
     *
     * @param question the number of the question
     * @param epoch the present epoch; {@link #NONE} if the store does not hear this instance
     * @param epochs how many there were
     * @param connection on which the store hears this instance
     * @param askedAt when the question was sent
     */
    private record State(long question, long epoch, long epochs, long connection, Moment askedAt) {

        State silent(long number) {
            return new State(number, NONE, epochs, NONE, askedAt);
        }

        State heard(long number, Moment asked) {
            return new State(number, epoch, epochs, connection, asked);
        }

        State newEpoch(long number, long on, Moment asked) {
            return new State(number, epochs + 1, epochs + 1, on, asked);
        }
    }

    private static final AtomicReferenceFieldUpdater<Heartbeat, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Heartbeat.class, State.class, "state");

    private final CrashDetection detection;
    private final EngineClock clock;
    private final TimerWheel timer;
    private final long shortestTakeOverNanos;
    private final Runnable afterBeat;

    /** Changed by its updater. */
    private volatile State state;

    /** The number of the last question; belongs to the timer's thread. */
    private long questions;

    /**
     * A heartbeat that has not begun.
     *
     * @param detection the store's side
     * @param clock the clocks
     * @param timer runs it
     * @param shortest the shortest take-over time of any lock, unless the store has a time of its own
     * @param afterBeat called after each question and after each answer, on any thread; returns at once
     */
    Heartbeat(CrashDetection detection, EngineClock clock, TimerWheel timer, Duration shortest, Runnable afterBeat) {
        this.detection = detection;
        this.clock = clock;
        this.timer = timer;
        this.shortestTakeOverNanos = shortest.toNanos();
        this.afterBeat = afterBeat;
        this.state = new State(0, NONE, 0, NONE, Moment.now(clock));
    }

    /** Asks as soon as possible, and from then on regularly. */
    void begin() {
        timer.schedule(this, clock.nanos());
    }

    /** For how long a lock is certain: by the session where there is one, else for its own take-over time. */
    long certainNanos(long takeOverNanos) {
        return detection.certainTime().map(Duration::toNanos).orElse(takeOverNanos);
    }

    Duration commandTimeout() {
        return detection.commandTimeout();
    }

    /** Whether a session decides, and not what a lock's token promises. */
    boolean isOfSession() {
        return detection.certainTime().isPresent();
    }

    private long shortestNanos() {
        return certainNanos(shortestTakeOverNanos);
    }

    @Override
    public void fire() {
        Moment asked = Moment.now(clock);
        timer.schedule(this, asked.nanos() + shortestNanos() / QUESTIONS);
        questions++;
        long question = questions;
        BackendGuard.stageOf(detection::beat)
                .whenComplete((answer, failure) -> answered(
                        question, asked, BackendGuard.resultOf(answer, failure, broken -> OptionalLong.empty())));
        afterBeat.run();
    }

    private void answered(long question, Moment asked, OptionalLong connection) {
        State known = state;
        while (question - known.question > 0) {
            if (STATE.compareAndSet(this, known, next(known, question, asked, connection))) {
                afterBeat.run();
                return;
            }
            known = state;
        }
    }

    private State next(State known, long question, Moment asked, OptionalLong connection) {
        if (connection.isEmpty()) {
            return known.silent(question);
        }
        boolean goesOn = known.epoch != NONE
                && known.connection == connection.getAsLong()
                && !Deadline.isOver(known.askedAt, shortestNanos(), clock);
        return goesOn ? known.heard(question, asked) : known.newEpoch(question, connection.getAsLong(), asked);
    }

    /** The epoch that the latest answer belongs to; 0 if the store does not hear this instance. */
    long epoch() {
        return state.epoch;
    }

    /** How many epochs there were. */
    long epochs() {
        return state.epochs;
    }

    /**
     * Whether the store hears this instance, or has not been asked yet. Renewals keep what is granted then certain
     * until there is an answer.
     */
    boolean isPerhapsHeard() {
        return state.question == 0 || isHeard();
    }

    /** Whether the store certainly hears this instance, for every lock that it has. */
    boolean isHeard() {
        State known = state;
        return known.epoch != NONE && !Deadline.isOver(known.askedAt, shortestNanos(), clock);
    }

    /** Whether no lock that was confirmed in the epoch, and has this take-over time, can have been taken over. */
    boolean covers(long epoch, long takeOverNanos) {
        State known = state;
        return epoch != NONE && known.epoch == epoch && !Deadline.isOver(known.askedAt, takeOverNanos, clock);
    }
}

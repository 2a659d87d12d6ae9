package io.github.lockstarter.engine.hold;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The states of one hold: {@code HELD → RELEASING → RELEASED}, or {@code LOST} from either of the first two. All of it
 * in one atomic reference, changed by compare-and-set, never backwards. No I/O in here: the answers say
 * what the caller has to do.
 *
 * <p>Invariants: a deadline only moves forward, and not once it is over (a late reply does not revive a lease); the
 * thread that sees that it is over turns the state to lost in the same step, so that no thread sees it held afterwards;
 * exactly one caller learns of the loss; exactly one caller has to send the release, and never while a renewal is
 * being written, so that no renewal follows a release.
 *
 * <p>Called from any thread. Only {@link #expire} and {@link #renewed} look at the clock; call {@code expire} before
 * any other question.
 */
public final class HoldLifecycle {

    private sealed interface State {}

    /** {@code writes}: renewals that are being written to the backend right now. */
    private record Held(Deadline deadline, int holds, int writes) implements State {}

    private record Releasing(int writes) implements State {}

    private record Released() implements State {}

    private record Lost(LossCause cause, int holds, int writes) implements State {}

    /** The common states on the way out. */
    private static final Releasing RELEASING = new Releasing(0);

    private static final Released RELEASED = new Released();

    /** What the caller of {@link #exit} has to do. */
    public enum Exit {
        /** Nothing: the owner has other holds. */
        STILL_HELD,
        /** Send the release. */
        SEND_RELEASE,
        /** Nothing: the thread that ends the last {@link #endRenewal renewal} under way sends the release. */
        RELEASE_FOLLOWS,
        /** The lock was lost; the owner has other holds. */
        LOST_STILL_ENTERED,
        /** The lock was lost and this was the last hold: send the release, in case it is still there. */
        LOST,
        /** As {@link #LOST}, but the thread that ends the last renewal under way sends the release. */
        LOST_RELEASE_FOLLOWS
    }

    private final EngineClock clock;
    private static final AtomicReferenceFieldUpdater<HoldLifecycle, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(HoldLifecycle.class, State.class, "state");

    /** Changed by its updater. */
    private volatile State state;

    public HoldLifecycle(EngineClock clock, Deadline deadline) {
        this.clock = clock;
        this.state = new Held(deadline, 1, 0);
    }

    public boolean isHeld() {
        return state instanceof Held;
    }

    /** Whether it is lost, or about to be since its lease is over. A hold that is being released is not over yet. */
    public boolean isOver() {
        State now = state;
        return now instanceof Held held ? held.deadline.isOver(clock) : !(now instanceof Releasing);
    }

    /** Whether it is held, and its lease is over: {@link #expire} ends it. */
    boolean isOverdue() {
        return state instanceof Held held && held.deadline.isOver(clock);
    }

    public boolean isLost() {
        return state instanceof Lost;
    }

    /** Why it was lost; to be asked of a lost hold only. */
    LossCause lossCause() {
        if (state instanceof Lost lost) {
            return lost.cause;
        }
        throw new IllegalStateException("Not lost");
    }

    /** The deadline while held; now otherwise. */
    public Deadline deadline() {
        return state instanceof Held held ? held.deadline : new Deadline(clock.nanos(), clock.wallMillis());
    }

    public int holds() {
        State now = state;
        return now instanceof Held held ? held.holds : now instanceof Lost lost ? lost.holds : 0;
    }

    /** Ends the hold if its lease is over. True for the one caller that has to signal it. */
    boolean expire(LossCause cause) {
        while (state instanceof Held held && held.deadline.isOver(clock)) {
            if (STATE.compareAndSet(this, held, new Lost(cause, held.holds, held.writes))) {
                return true;
            }
        }
        return false;
    }

    /** Ends the hold. True for the one caller that has to signal it. */
    boolean lose(LossCause cause) {
        while (state instanceof Held held) {
            if (STATE.compareAndSet(this, held, new Lost(cause, held.holds, held.writes))) {
                return true;
            }
        }
        return false;
    }

    /** One hold more. False unless held. */
    public boolean enter() {
        while (state instanceof Held held) {
            if (STATE.compareAndSet(this, held, new Held(held.deadline, held.holds + 1, held.writes))) {
                return true;
            }
        }
        return false;
    }

    /** One hold less, if it is held and that is not the last one. */
    public boolean exitInner() {
        while (state instanceof Held held && held.holds > 1) {
            if (STATE.compareAndSet(this, held, new Held(held.deadline, held.holds - 1, held.writes))) {
                return true;
            }
        }
        return false;
    }

    /** One hold less; to be called once per hold. */
    public Exit exit() {
        while (true) {
            State now = state;
            State next;
            Exit answer;
            if (now instanceof Held held && held.holds > 1) {
                next = new Held(held.deadline, held.holds - 1, held.writes);
                answer = Exit.STILL_HELD;
            } else if (now instanceof Held held) {
                next = held.writes == 0 ? RELEASING : new Releasing(held.writes);
                answer = held.writes == 0 ? Exit.SEND_RELEASE : Exit.RELEASE_FOLLOWS;
            } else if (now instanceof Lost lost && lost.holds > 0) {
                next = new Lost(lost.cause, lost.holds - 1, lost.writes);
                answer = exitOf(lost);
            } else {
                throw new IllegalStateException("More exits than holds");
            }
            if (STATE.compareAndSet(this, now, next)) {
                return answer;
            }
        }
    }

    private static Exit exitOf(Lost lost) {
        if (lost.holds > 1) {
            return Exit.LOST_STILL_ENTERED;
        }
        return lost.writes == 0 ? Exit.LOST : Exit.LOST_RELEASE_FOLLOWS;
    }

    /** Claims the right to write a renewal; only while held. */
    public boolean beginRenewal() {
        while (state instanceof Held held) {
            if (STATE.compareAndSet(this, held, new Held(held.deadline, held.holds, held.writes + 1))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a renewal is being written: then {@link #endRenewal} decides on the release of a lost hold. */
    public boolean isRenewalUnderWay() {
        State now = state;
        return now instanceof Held held ? held.writes > 0 : now instanceof Lost lost && lost.writes > 0;
    }

    /**
     * The renewal is written. True if a release was asked for meanwhile and this was the last: the caller sends it now.
     */
    public boolean endRenewal() {
        while (true) {
            State now = state;
            if (now instanceof Held held) {
                if (STATE.compareAndSet(this, now, new Held(held.deadline, held.holds, held.writes - 1))) {
                    return false;
                }
            } else if (now instanceof Releasing releasing) {
                if (STATE.compareAndSet(this, now, new Releasing(releasing.writes - 1))) {
                    return releasing.writes == 1;
                }
            } else if (now instanceof Lost lost) {
                if (STATE.compareAndSet(this, now, new Lost(lost.cause, lost.holds, lost.writes - 1))) {
                    return lost.writes == 1 && (lost.holds == 0 || isFreedAtOnce(lost.cause));
                }
            } else {
                return false;
            }
        }
    }

    /** Whether the release of a lock that is lost does not wait for its owner to leave. */
    private static boolean isFreedAtOnce(LossCause cause) {
        return cause == LossCause.SHUTDOWN || cause == LossCause.REVOKED;
    }

    /** Moves the deadline forward after a renewal; without effect once released, lost, or over. */
    public boolean renewed(Deadline later) {
        while (state instanceof Held held && !held.deadline.isOver(clock)) {
            if (!later.isAfter(held.deadline)
                    || STATE.compareAndSet(this, held, new Held(later, held.holds, held.writes))) {
                return true;
            }
        }
        return false;
    }

    /** The release was answered: the lock is free, or will be. True once. */
    public boolean released() {
        return state instanceof Releasing releasing && STATE.compareAndSet(this, releasing, RELEASED);
    }

    /** The release was answered: the lock had not been ours any more. True once. */
    public boolean lostAtRelease(LossCause cause) {
        return state instanceof Releasing releasing && STATE.compareAndSet(this, releasing, new Lost(cause, 0, 0));
    }
}

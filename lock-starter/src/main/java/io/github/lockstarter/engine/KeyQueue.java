package io.github.lockstarter.engine;

import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one key in this JVM, first come, first served. Only the first has an attempt at the backend, so that N
 * JVMs mean N contenders however many threads wait. Decides, and does no I/O: each method returns the {@link Next} step,
 * which the caller carries out without the monitor.
 *
 * <p>Invariants: at most one attempt is under way; while there are waiters, one is under way or the first one's alarm is
 * set; every waiter leaves by exactly one of grant, refusal, timeout, failure and {@link #leave}, and then has no alarm; a
 * retired queue stays empty; an attempt is withdrawn only after its acquisition was decided against, so that what is
 * withdrawn is never somebody's hold.
 *
 * <p>All fields are guarded by this object's monitor. Alarms are set and cancelled under it, so that an earlier decision
 * cannot overwrite a later one; the timer's lock comes after it and takes no other.
 */
final class KeyQueue {

    /** Bounds what a storm of useless signals can cause: after that many, the first waiter sleeps again. */
    private static final int MOST_REPEATS = 3;

    private final Supplier<LockToken> tokens;
    private final Backoff backoff;
    private final Alarms alarms;
    private final Set<Acquisition> waiters = new LinkedHashSet<>();

    private @Nullable Attempt underWay;
    private @Nullable LockToken lastToken;
    private @Nullable Standing standing;
    private boolean signalled;
    private boolean retired;
    private long position = Waiting.NEW;
    private long answers;
    private int round;

    /** Attempts in a row that were repeated at once, for a signal that came while the one before was under way. */
    private int repeats;

    KeyQueue(Supplier<LockToken> tokens, Backoff backoff, Alarms alarms) {
        this.tokens = tokens;
        this.backoff = backoff;
        this.alarms = alarms;
    }

    synchronized boolean isRetired() {
        return retired;
    }

    /** A new waiter at the end; null if the queue is retired and a new one must be made. */
    synchronized @Nullable Next join(Acquisition acquisition) {
        if (retired) {
            return null;
        }
        waiters.add(acquisition);
        acquisition.joinedAt = answers;
        if (underWay == null && waiters.size() == 1) {
            return attemptByFirst();
        }
        alarms.schedule(acquisition, acquisition.giveUpAt);
        return queued(acquisition);
    }

    /** The lock may be free. */
    synchronized Next signal() {
        if (underWay != null) {
            signalled = true;
            return Next.NOTHING;
        }
        return waiters.isEmpty() ? Next.NOTHING : attemptByFirst();
    }

    /** The waiter's alarm went off: its wait is over, or it looks again. */
    synchronized Next alarm(Acquisition acquisition, long now) {
        if (!waiters.contains(acquisition)) {
            return Next.NOTHING;
        }
        if (acquisition.isPast(now)) {
            return timeOut(acquisition);
        }
        alarms.schedule(acquisition, acquisition.giveUpAt);
        return underWay == null && first() == acquisition ? attemptByFirst() : Next.NOTHING;
    }

    private Next timeOut(Acquisition acquisition) {
        Standing known = standing;
        boolean unanswered = underWay != null && answers == acquisition.joinedAt;
        if (known == null || unanswered) {
            acquisition.overdue = true; // whether the lock is contended cannot be told before the answer
            return Next.NOTHING;
        }
        return acquisition.decide(new Outcome.Busy(known))
                ? remove(acquisition).publishing(List.of(acquisition))
                : Next.NOTHING; // granted or given up in this moment: whoever decided that takes it out
    }

    /** The waiter does not want the lock any more. */
    synchronized Next leave(Acquisition acquisition) {
        return waiters.contains(acquisition) ? remove(acquisition) : Next.NOTHING;
    }

    private Next remove(Acquisition acquisition) {
        boolean wasFirst = first() == acquisition;
        drop(acquisition);
        Attempt current = underWay;
        if (current != null && current.acquisition() == acquisition) {
            underWay = null;
            return attemptByFirst().withdrawing(current.token());
        }
        if (current != null || !wasFirst) {
            return Next.NOTHING;
        }
        // The first one had only its alarm. The next tries at once: a signal may have been spent on the one that left.
        LockToken last = lastToken;
        return waiters.isEmpty() ? attemptByFirst().withdrawing(last) : attemptByFirst();
    }

    /** The attempt was granted. */
    synchronized Next granted(Attempt attempt) {
        if (!attempt.equals(underWay)) {
            return Next.NOTHING;
        }
        answered();
        drop(attempt.acquisition());
        position = Waiting.NEW;
        round = 0;
        Standing ours = new Standing(
                Standing.Obstacle.OWNER, Optional.of(attempt.acquisition().terms.lease()));
        standing = ours;
        List<Acquisition> late = takeOverdue(new Outcome.Busy(ours));
        return attemptByFirst().publishing(late);
    }

    /** The attempt was granted, but not in time for its acquisition, which fails. */
    synchronized Next grantedTooLate(Attempt attempt, Outcome.Failed failure) {
        if (!attempt.equals(underWay)) {
            return Next.NOTHING;
        }
        answered();
        drop(attempt.acquisition());
        return attemptByFirst().publishing(decidedOf(List.of(attempt.acquisition()), failure));
    }

    /** The attempt was not granted. */
    synchronized Next contended(Attempt attempt, Standing answer, long newPosition, long now) {
        if (!attempt.equals(underWay)) {
            return Next.NOTHING;
        }
        answered();
        standing = answer;
        if (newPosition != Waiting.NEW) {
            position = newPosition;
        }
        if (attempt.acquisition().isPast(now)) {
            attempt.acquisition().overdue = true;
        }
        List<Acquisition> late = takeOverdue(new Outcome.Busy(answer));
        if (waiters.isEmpty()) {
            return attemptByFirst().withdrawing(attempt.token()).publishing(late);
        }
        if (signalled && repeats < MOST_REPEATS) {
            repeats++;
            return attemptByFirst().publishing(late);
        }
        repeats = 0;
        return sleepUntilNextLook(now, answer).publishing(late);
    }

    private Next sleepUntilNextLook(long now, Standing answer) {
        Acquisition first = first();
        long wakeAt = now + backoff.nanos(round++, answer);
        alarms.schedule(first, first.giveUpAt - wakeAt < 0 ? first.giveUpAt : wakeAt);
        return queued(first);
    }

    /** The attempt failed: nobody in this JVM can get the lock now. */
    synchronized Next failed(Attempt attempt, Outcome.Failed failure) {
        if (!attempt.equals(underWay)) {
            return Next.NOTHING;
        }
        underWay = null;
        return failEverybody(failure);
    }

    /** Nobody in this JVM may wait any longer. */
    synchronized Next failAll(Outcome.Failed failure) {
        Attempt current = underWay;
        underWay = null;
        Next next = failEverybody(failure);
        boolean granted = current != null && current.acquisition().isGot();
        return granted ? next : next.withdrawing(lastToken);
    }

    private Next failEverybody(Outcome.Failed failure) {
        List<Acquisition> all = List.copyOf(waiters);
        all.forEach(this::drop);
        retired = true;
        return Next.NOTHING.publishing(decidedOf(all, failure));
    }

    /** Those that had no outcome yet. */
    private static List<Acquisition> decidedOf(List<Acquisition> acquisitions, Outcome outcome) {
        return acquisitions.stream().filter(each -> each.decide(outcome)).toList();
    }

    private void answered() {
        underWay = null;
        answers++;
    }

    /** Without waiters, the end of this queue. */
    private Next attemptByFirst() {
        if (waiters.isEmpty()) {
            retired = true;
            return Next.NOTHING;
        }
        Acquisition first = first();
        first.attempts++;
        signalled = false;
        LockToken token = tokens.get();
        lastToken = token;
        Attempt attempt = new Attempt(first, token, position);
        underWay = attempt;
        return Next.attempt(attempt);
    }

    private static Next queued(Acquisition acquisition) {
        if (acquisition.queued) {
            return Next.NOTHING;
        }
        acquisition.queued = true;
        return Next.queued(acquisition);
    }

    private Acquisition first() {
        return waiters.iterator().next();
    }

    private void drop(Acquisition acquisition) {
        waiters.remove(acquisition);
        alarms.cancel(acquisition);
    }

    private List<Acquisition> takeOverdue(Outcome outcome) {
        List<Acquisition> late = List.of();
        for (Iterator<Acquisition> each = waiters.iterator(); each.hasNext(); ) {
            Acquisition acquisition = each.next();
            if (acquisition.overdue) {
                if (late.isEmpty()) {
                    late = new ArrayList<>();
                }
                late.add(acquisition);
                each.remove();
                alarms.cancel(acquisition);
            }
        }
        return decidedOf(late, outcome);
    }
}

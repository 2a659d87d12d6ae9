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
 * which the caller carries out without the lock.
 *
 * <p>Invariants: at most one attempt is under way; while there are waiters, one is under way or the first one's timer is
 * set; every waiter leaves by exactly one of grant, timeout, failure and {@link #leave}; a retired queue stays empty.
 *
 * <p>All fields are guarded by this object's monitor, which is never held during a call to anything else.
 */
final class KeyQueue {

    /** Bounds what a storm of useless signals can cause: after that many, the first waiter sleeps again. */
    private static final int MOST_REPEATS = 3;

    private final Supplier<LockToken> tokens;
    private final Backoff backoff;
    private final Set<Acquisition> waiters = new LinkedHashSet<>();

    private @Nullable Attempt underWay;
    private @Nullable LockToken lastToken;
    private @Nullable Standing standing;
    private boolean signalled;
    private boolean retired;
    private long position = Waiting.NEW;

    /** Attempts in a row that were repeated at once, for a signal that came while the one before was under way. */
    private int repeats;

    private long answers;
    private int round;

    KeyQueue(Supplier<LockToken> tokens, Backoff backoff) {
        this.tokens = tokens;
        this.backoff = backoff;
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
        return underWay == null && waiters.size() == 1
                ? Next.attempt(attempt(acquisition))
                : Next.wakeAt(acquisition, acquisition.giveUpAt);
    }

    /** The lock may be free. */
    synchronized Next signal() {
        if (underWay != null) {
            signalled = true;
            return Next.NOTHING;
        }
        return waiters.isEmpty() ? Next.NOTHING : Next.attempt(attempt(first()));
    }

    /** The waiter's timer fired: its wait is over, or it looks again. */
    synchronized Next timer(Acquisition acquisition, long now) {
        if (!waiters.contains(acquisition)) {
            return Next.NOTHING;
        }
        if (acquisition.isPast(now)) {
            return timeOut(acquisition);
        }
        Next untilTheEnd = Next.wakeAt(acquisition, acquisition.giveUpAt);
        return underWay == null && first() == acquisition ? untilTheEnd.attempting(attempt(acquisition)) : untilTheEnd;
    }

    private Next timeOut(Acquisition acquisition) {
        Standing known = standing;
        boolean unanswered = underWay != null && answers == acquisition.joinedAt;
        if (known == null || unanswered) {
            acquisition.overdue = true; // whether the lock is contended cannot be told before the answer
            return Next.NOTHING;
        }
        return remove(acquisition).ending(List.of(acquisition), new Outcome.Busy(known));
    }

    /** The waiter does not want the lock any more. */
    synchronized Next leave(Acquisition acquisition) {
        return waiters.contains(acquisition) ? remove(acquisition) : Next.NOTHING;
    }

    private Next remove(Acquisition acquisition) {
        boolean wasFirst = first() == acquisition;
        waiters.remove(acquisition);
        Attempt current = underWay;
        if (current != null && current.acquisition() == acquisition) {
            underWay = null;
            return Next.withdraw(current.token()).then(attemptByFirst());
        }
        if (current != null || !wasFirst) {
            return Next.NOTHING;
        }
        // The first one had only its timer. The next tries at once: a signal may have been spent on the one that left.
        if (!waiters.isEmpty()) {
            return attemptByFirst();
        }
        retired = true;
        return Next.withdraw(lastToken);
    }

    /** The attempt was granted. */
    synchronized Next granted(Attempt attempt) {
        if (!attempt.equals(underWay)) {
            return Next.NOTHING;
        }
        answered();
        waiters.remove(attempt.acquisition());
        position = Waiting.NEW;
        round = 0;
        Standing ours = new Standing(
                Standing.Obstacle.OWNER, Optional.of(attempt.acquisition().terms.lease()));
        standing = ours;
        List<Acquisition> late = takeOverdue();
        return attemptByFirst().ending(late, new Outcome.Busy(ours));
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
        List<Acquisition> late = takeOverdue();
        Outcome busy = new Outcome.Busy(answer);
        if (waiters.isEmpty()) {
            retired = true;
            return Next.withdraw(attempt.token()).ending(late, busy);
        }
        if (signalled && repeats < MOST_REPEATS) {
            repeats++;
            return attemptByFirst().ending(late, busy);
        }
        repeats = 0;
        Acquisition first = first();
        long wakeAt = now + backoff.nanos(round++, answer);
        return Next.wakeAt(first, first.giveUpAt - wakeAt < 0 ? first.giveUpAt : wakeAt)
                .ending(late, busy);
    }

    /** The attempt failed: nobody in this JVM can get the lock now. */
    synchronized Next failed(Attempt attempt, Outcome.Failed failure) {
        return attempt.equals(underWay) ? failAll(failure) : Next.NOTHING;
    }

    synchronized Next failAll(Outcome.Failed failure) {
        List<Acquisition> all = List.copyOf(waiters);
        waiters.clear();
        underWay = null;
        retired = true;
        return Next.NOTHING.ending(all, failure);
    }

    private void answered() {
        underWay = null;
        answers++;
    }

    private Next attemptByFirst() {
        if (waiters.isEmpty()) {
            retired = true;
            return Next.NOTHING;
        }
        return Next.attempt(attempt(first()));
    }

    private Attempt attempt(Acquisition acquisition) {
        acquisition.attempts++;
        signalled = false;
        LockToken token = tokens.get();
        lastToken = token;
        Attempt attempt = new Attempt(acquisition, token, position);
        underWay = attempt;
        return attempt;
    }

    private Acquisition first() {
        return waiters.iterator().next();
    }

    private List<Acquisition> takeOverdue() {
        List<Acquisition> late = List.of();
        for (Iterator<Acquisition> each = waiters.iterator(); each.hasNext(); ) {
            Acquisition acquisition = each.next();
            if (acquisition.overdue) {
                if (late.isEmpty()) {
                    late = new ArrayList<>();
                }
                late.add(acquisition);
                each.remove();
            }
        }
        return late;
    }
}

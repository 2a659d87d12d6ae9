package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.timer.EngineTimer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The waiters of a {@link KeyQueue}, first come, first served, and their alarms. Guarded by the queue's lock; the
 * alarms are set and cancelled under it.
 *
 * <p>Whatever happens to one waiter costs the same however many others wait: {@link #overdue} has those of
 * {@link #waiters} whose wait is over and that are owed an answer, and no others.
 */
final class WaiterList {

    private final Set<Acquisition> waiters = new LinkedHashSet<>();
    private Set<Acquisition> overdue = Set.of();
    private final EngineTimer alarms;

    WaiterList(EngineTimer alarms) {
        this.alarms = alarms;
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    int size() {
        return waiters.size();
    }

    /** In the order in which they are served. */
    List<Acquisition> inOrder() {
        return new ArrayList<>(waiters);
    }

    boolean has(Acquisition acquisition) {
        return waiters.contains(acquisition);
    }

    Acquisition first() {
        return waiters.iterator().next();
    }

    boolean isFirst(Acquisition acquisition) {
        return !waiters.isEmpty() && first() == acquisition;
    }

    void add(Acquisition acquisition) {
        waiters.add(acquisition);
    }

    void drop(Acquisition acquisition) {
        waiters.remove(acquisition);
        if (!overdue.isEmpty()) {
            overdue.remove(acquisition);
        }
        alarms.cancel(acquisition);
    }

    /** Nothing but its wait wakes the waiter. */
    void sleep(Acquisition acquisition) {
        alarms.schedule(acquisition, acquisition.giveUpAt);
    }

    /** The waiter looks again at the given time, or its wait is over before. */
    void sleepUntil(Acquisition acquisition, long wakeAt) {
        alarms.schedule(acquisition, acquisition.giveUpAt - wakeAt < 0 ? acquisition.giveUpAt : wakeAt);
    }

    /**
     * The wait is over, but only the next answer says whether the lock is contended. Without effect on
     * others.
     */
    void markOverdue(Acquisition acquisition) {
        if (has(acquisition)) {
            overdue = overdue.isEmpty() ? new LinkedHashSet<>() : overdue;
            overdue.add(acquisition);
        }
    }

    /** Whether a waiter's wait is over, and only an answer is missing. */
    boolean hasOverdue() {
        return !overdue.isEmpty();
    }

    /** Takes everybody out, and decides for those that had no outcome yet; these are returned. */
    List<Acquisition> dismissAll(AcquireOutcome outcome) {
        return dismiss(waiters, outcome);
    }

    /** The same for those whose wait is over. */
    List<Acquisition> dismissOverdue(AcquireOutcome outcome) {
        return overdue.isEmpty() ? List.of() : dismiss(overdue, outcome);
    }

    private List<Acquisition> dismiss(Collection<Acquisition> leaving, AcquireOutcome outcome) {
        List<Acquisition> decided = new ArrayList<>(leaving.size());
        for (Acquisition each : List.copyOf(leaving)) {
            drop(each);
            if (each.decide(outcome)) {
                decided.add(each);
            }
        }
        return decided;
    }
}

package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.timer.EngineTimer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of a {@link KeyQueue}, first come, first served, and their alarms. Guarded by the queue's lock, as are
 * the links of the waiters; the alarms are set and cancelled under it.
 *
 * <p>Each operation on one waiter takes constant time, and allocates nothing: the waiters themselves are the links.
 * {@link #overdue} has those whose wait is over and
 * that are owed an answer, and no others.
 */
final class WaiterList {

    private @Nullable Acquisition head;
    private @Nullable Acquisition tail;
    private int size;
    private Set<Acquisition> overdue = Set.of();
    private final EngineTimer alarms;

    WaiterList(EngineTimer alarms) {
        this.alarms = alarms;
    }

    boolean isEmpty() {
        return head == null;
    }

    int size() {
        return size;
    }

    /** In the order in which they are served. */
    List<Acquisition> inOrder() {
        List<Acquisition> waiters = new ArrayList<>(size);
        for (Acquisition each = head; each != null; each = each.behind) {
            waiters.add(each);
        }
        return waiters;
    }

    boolean has(Acquisition acquisition) {
        return acquisition.line == this;
    }

    /** Only where it is not empty. */
    Acquisition first() {
        return Objects.requireNonNull(head, "no waiter");
    }

    boolean isFirst(Acquisition acquisition) {
        return head == acquisition;
    }

    void add(Acquisition acquisition) {
        Acquisition last = tail;
        acquisition.line = this;
        acquisition.ahead = last;
        if (last == null) {
            head = acquisition;
        } else {
            last.behind = acquisition;
        }
        tail = acquisition;
        size++;
    }

    void drop(Acquisition acquisition) {
        if (has(acquisition)) {
            unlink(acquisition);
        }
        if (!overdue.isEmpty()) {
            overdue.remove(acquisition);
        }
        alarms.cancel(acquisition);
    }

    private void unlink(Acquisition leaving) {
        Acquisition ahead = leaving.ahead;
        Acquisition behind = leaving.behind;
        if (ahead == null) {
            head = behind;
        } else {
            ahead.behind = behind;
        }
        if (behind == null) {
            tail = ahead;
        } else {
            behind.ahead = ahead;
        }
        leaving.line = null;
        leaving.ahead = null;
        leaving.behind = null;
        size--;
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

    /** Takes everybody out, and decides for those that had no outcome yet; these are returned. */
    List<Acquisition> dismissAll(AcquireOutcome outcome) {
        return dismiss(inOrder(), outcome);
    }

    /** The same for those whose wait is over. */
    List<Acquisition> dismissOverdue(AcquireOutcome outcome) {
        return overdue.isEmpty() ? List.of() : dismiss(List.copyOf(overdue), outcome);
    }

    private List<Acquisition> dismiss(List<Acquisition> leaving, AcquireOutcome outcome) {
        List<Acquisition> decided = new ArrayList<>(leaving.size());
        for (Acquisition each : leaving) {
            drop(each);
            if (each.decide(outcome)) {
                decided.add(each);
            }
        }
        return decided;
    }
}

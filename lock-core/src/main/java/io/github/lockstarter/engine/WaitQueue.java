package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Undecided callers of one key in this JVM: a line of waiters, and tries, whose wait is zero or ended before any
 * answer. Guarded by its {@link KeyLock}, as are the waiters' links.
 */
final class WaitQueue {

    /** Replaces each empty queue; never changed. */
    static final WaitQueue EMPTY = new WaitQueue();

    private @Nullable Waiter first;
    private @Nullable Waiter last;

    /** At least the maximum in the line. */
    private int maxPermits;

    /** In the line. */
    private int readers;

    /** Each gets the next answer that it accepts. */
    private List<Waiter> tries = Collections.emptyList();

    @Nullable
    Waiter first() {
        return first;
    }

    boolean hasWaiters() {
        return first != null;
    }

    /** First waiter that requests more permits. */
    @Nullable
    Waiter firstAbove(int permits) {
        Waiter each = permits < maxPermits() ? first : null;
        while (each != null && each.request.permits() <= permits) {
            each = each.behind;
        }
        maxPermits = each == null ? Math.min(maxPermits, permits) : maxPermits; // looked for once
        return each;
    }

    /** Upper bound; 0 without waiters. */
    int maxPermits() {
        return first == null ? 0 : maxPermits;
    }

    boolean hasSeveralWaiters() {
        return first != last;
    }

    @Nullable
    Waiter firstTry() {
        return tries.isEmpty() ? null : tries.get(0);
    }

    boolean isEmpty() {
        return first == null && tries.isEmpty();
    }

    /** Adds a caller, to a new queue in place of the empty one. */
    WaitQueue with(Waiter waiter) {
        WaitQueue queue = this == EMPTY ? new WaitQueue() : this;
        if (waiter.waits()) {
            queue.append(waiter);
        } else {
            queue.addTry(waiter);
        }
        return queue;
    }

    void turnIntoTry(Waiter waiter) {
        addTry(waiter);
        unlink(waiter);
    }

    private void addTry(Waiter waiter) {
        if (tries.isEmpty()) {
            tries = new ArrayList<>();
        }
        tries.add(waiter);
    }

    private void append(Waiter waiter) {
        maxPermits = Math.max(maxPermits(), waiter.request.permits());
        waiter.queued = true;
        readers += waiter.request.reads() ? 1 : 0;
        waiter.ahead = last;
        if (last == null) {
            first = waiter;
        } else {
            last.behind = waiter;
        }
        last = waiter;
    }

    /** No effect on a decided caller. */
    void remove(Waiter waiter) {
        if (waiter.queued) {
            unlink(waiter);
        } else {
            takeTries(each -> each == waiter, taken -> {});
        }
    }

    private void unlink(Waiter waiter) {
        if (waiter.ahead == null) {
            first = waiter.behind;
        } else {
            waiter.ahead.behind = waiter.behind;
        }
        if (waiter.behind == null) {
            last = waiter.ahead;
        } else {
            waiter.behind.ahead = waiter.ahead;
        }
        waiter.queued = false;
        readers -= waiter.request.reads() ? 1 : 0;
    }

    /** First match, waiters before tries. */
    @Nullable
    Waiter find(Predicate<Waiter> which) {
        for (Waiter each = first; each != null; each = each.behind) {
            if (which.test(each)) {
                return each;
            }
        }
        for (Waiter each : tries) {
            if (which.test(each)) {
                return each;
            }
        }
        return null;
    }

    boolean isFirstReader() {
        return first != null && first.request.reads();
    }

    @Nullable
    Waiter firstWriter() {
        Waiter each = first;
        while (each != null && each.request.reads()) {
            each = each.behind;
        }
        return each;
    }

    /** Readers with these terms. */
    List<Waiter> readers(ResolvedRequest terms) {
        List<Waiter> found = new ArrayList<>(tries);
        found.removeIf(each -> !each.request.mayShare(terms));
        int left = readers;
        for (Waiter each = first; each != null && left > 0; each = each.behind) {
            left -= each.request.reads() ? 1 : 0;
            if (each.request.mayShare(terms)) {
                found.add(each);
            }
        }
        return found;
    }

    void takeWaiters(Consumer<Waiter> taker) {
        for (Waiter each = first; each != null; each = each.behind) {
            taker.accept(each);
            unlink(each);
        }
    }

    void takeTries(Predicate<Waiter> which, Consumer<Waiter> taker) {
        if (tries.isEmpty()) {
            return;
        }
        for (Waiter each : tries) {
            if (which.test(each)) {
                taker.accept(each);
            }
        }
        tries.removeIf(which); // last: a caller that was not told stays
    }
}

package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this JVM that want one key and have no outcome yet: those that wait, in order, and those that only
 * try. A waiter whose wait is over before anybody knows whether the lock is contended only tries from then on. Guarded
 * by its {@link KeyLock}, as the links of the waiters.
 */
final class WaitQueue {

    /** In place of each queue without callers; never changed. */
    static final WaitQueue EMPTY = new WaitQueue();

    private @Nullable Waiter first;
    private @Nullable Waiter last;

    /** The most that one of those has asked for who waited since this queue was last without waiters. */
    private int mostPermits;

    /** Each gets the next answer that counts for it. */
    private List<Waiter> tries = Collections.emptyList();

    /** The first of those that wait; the next one is {@link Waiter#behind} it. */
    @Nullable
    Waiter first() {
        return first;
    }

    boolean hasWaiters() {
        return first != null;
    }

    /** The first of those that wait who asks for more permits than so many. */
    @Nullable
    Waiter firstAbove(int permits) {
        Waiter each = permits < mostPermits() ? first : null;
        while (each != null && each.terms.permits() <= permits) {
            each = each.behind;
        }
        return each;
    }

    /** No waiter asks for more; perhaps none asks for so many any more. 0 without waiters. */
    int mostPermits() {
        return first == null ? 0 : mostPermits;
    }

    boolean hasSeveralWaiters() {
        return first != last;
    }

    @Nullable
    Waiter firstTry() {
        return tries.isEmpty() ? null : tries.get(0);
    }

    /** Whether nobody waits or tries. */
    boolean isEmpty() {
        return first == null && tries.isEmpty();
    }

    /** This queue with one more caller, or a new one in place of the empty one. */
    WaitQueue with(Waiter waiter) {
        WaitQueue queue = this == EMPTY ? new WaitQueue() : this;
        if (waiter.waits()) {
            queue.append(waiter);
        } else {
            queue.addTry(waiter);
        }
        return queue;
    }

    /** The wait is over: the next answer that counts for it is its outcome. */
    void endWait(Waiter waiter) {
        unlink(waiter);
        addTry(waiter);
    }

    private void addTry(Waiter waiter) {
        if (tries.isEmpty()) {
            tries = new ArrayList<>();
        }
        tries.add(waiter);
    }

    private void append(Waiter waiter) {
        mostPermits = Math.max(mostPermits(), waiter.terms.permits());
        waiter.isQueued = true;
        waiter.ahead = last;
        if (last == null) {
            first = waiter;
        } else {
            last.behind = waiter;
        }
        last = waiter;
    }

    /** Without effect on a caller that has its outcome. */
    void remove(Waiter waiter) {
        if (waiter.isQueued) {
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
        waiter.isQueued = false;
    }

    /** The first that matches; those that wait come first. */
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

    /** Removes the waiters that match, and hands each over. */
    void takeWaiters(Predicate<Waiter> which, Consumer<Waiter> taker) {
        for (Waiter each = first; each != null; each = each.behind) {
            if (which.test(each)) {
                unlink(each);
                taker.accept(each);
            }
        }
    }

    /** Removes the callers that only try and match, and hands each over. */
    void takeTries(Predicate<Waiter> which, Consumer<Waiter> taker) {
        if (tries.isEmpty()) {
            return;
        }
        List<Waiter> left = new ArrayList<>();
        for (Waiter each : tries) {
            if (which.test(each)) {
                taker.accept(each);
            } else {
                left.add(each);
            }
        }
        tries = left.isEmpty() ? Collections.emptyList() : left;
    }
}

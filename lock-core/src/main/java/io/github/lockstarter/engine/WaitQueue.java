package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this JVM that want one key and have no outcome yet: those that wait, in order, and those that only
 * try. Some of the waiters are owed the next answer: their wait is over, and nobody knows yet whether the lock is
 * contended. Guarded by its {@link KeyLock}, as the links of the waiters.
 */
final class WaitQueue {

    private @Nullable Waiter first;
    private @Nullable Waiter last;
    private int size;
    private int owed;

    /** Each gets the answer to an attempt that was sent after it came. */
    private List<Waiter> tries = Collections.emptyList();

    /** The first of those that wait; the next one is {@link Waiter#behind} it. */
    @Nullable
    Waiter first() {
        return first;
    }

    boolean hasWaiters() {
        return first != null;
    }

    /** How many wait. */
    int size() {
        return size;
    }

    @Nullable
    Waiter firstTry() {
        return tries.isEmpty() ? null : tries.get(0);
    }

    /** Whether nobody waits or tries. */
    boolean isEmpty() {
        return first == null && tries.isEmpty();
    }

    void add(Waiter waiter) {
        if (waiter.waits()) {
            append(waiter);
        } else {
            if (tries.isEmpty()) {
                tries = new ArrayList<>();
            }
            tries.add(waiter);
        }
    }

    private void append(Waiter waiter) {
        waiter.isQueued = true;
        waiter.ahead = last;
        if (last == null) {
            first = waiter;
        } else {
            last.behind = waiter;
        }
        last = waiter;
        size++;
    }

    /** Without effect on a caller that has its outcome. */
    void remove(Waiter waiter) {
        if (waiter.isQueued) {
            unlink(waiter);
        } else if (!waiter.waits()) {
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
        size--;
        owed -= waiter.isOwed ? 1 : 0;
    }

    /** The next answer is the outcome of this waiter. */
    void owe(Waiter waiter) {
        owed += waiter.isOwed ? 0 : 1;
        waiter.isOwed = true;
    }

    /** Removes those that are owed the answer, and hands each over. */
    void takeOwed(Consumer<Waiter> taker) {
        if (owed > 0) {
            takeWaiters(waiter -> waiter.isOwed, taker);
        }
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

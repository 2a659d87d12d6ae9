package io.github.lockstarter.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The steps that a {@link KeyLock} has decided on, to be carried out without its monitor, in order. Used by one thread;
 * if that fails in a step for want of stack or memory, another one carries on with the following step.
 */
final class Effects {

    private @Nullable Runnable first;
    private @Nullable Runnable second;
    private @Nullable Queue<Runnable> others;

    void add(Runnable step) {
        if (first == null && second == null && others == null) {
            first = step;
        } else if (second == null && others == null) {
            second = step;
        } else {
            if (others == null) {
                others = new ArrayDeque<>(4);
            }
            others.add(step);
        }
    }

    /** The other ones carry these steps out, too. */
    void moveTo(Effects other) {
        for (Runnable step = poll(); step != null; step = poll()) {
            other.add(step);
        }
    }

    /** The next step, which is taken out; null if there is none. */
    @Nullable
    Runnable poll() {
        Runnable next = first;
        first = second;
        second = others == null ? null : others.poll();
        return next;
    }
}

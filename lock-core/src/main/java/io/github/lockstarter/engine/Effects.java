package io.github.lockstarter.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Steps decided by a {@link KeyLock}, executed in order without its monitor. Used by one thread. */
class Effects {

    /** Most events have one step. */
    private @Nullable Runnable first;

    private @Nullable Queue<Runnable> others;

    void add(Runnable step) {
        if (first == null && others == null) {
            first = step;
            return;
        }
        if (others == null) {
            others = new ArrayDeque<>(4);
        }
        others.add(step);
    }

    @Nullable
    Runnable poll() {
        Runnable next = first == null && others != null ? others.poll() : first;
        first = null;
        return next;
    }
}

package io.github.lockstarter.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Steps decided by a {@link KeyLock}, executed in order without its monitor. Used by one thread. */
class Effects {

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

    @Nullable
    Runnable poll() {
        Runnable next = first;
        first = second;
        second = others == null ? null : others.poll();
        return next;
    }
}

package io.github.lockstarter;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The handles of the locked bodies that run on this thread, innermost first. Removed from the thread with the last. */
final class CurrentLock {

    private static final ThreadLocal<Deque<LockHandle>> HANDLES = new ThreadLocal<>();

    private CurrentLock() {}

    static Optional<LockHandle> innermost() {
        Deque<LockHandle> handles = HANDLES.get();
        return handles == null ? Optional.empty() : Optional.of(handles.getFirst());
    }

    /** Innermost first. */
    static List<LockHandle> all() {
        Deque<LockHandle> handles = HANDLES.get();
        return handles == null ? List.of() : List.copyOf(handles);
    }

    static void enter(LockHandle handle) {
        Deque<LockHandle> handles = HANDLES.get();
        if (handles == null) {
            handles = new ArrayDeque<>(2);
            HANDLES.set(handles);
        }
        handles.addFirst(handle);
    }

    static void exit() {
        Deque<LockHandle> handles = HANDLES.get();
        handles.removeFirst();
        if (handles.isEmpty()) {
            HANDLES.remove();
        }
    }
}

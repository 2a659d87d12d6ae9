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
        return handles == null ? Optional.empty() : Optional.ofNullable(handles.peekFirst());
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

    /** Also of what an inner body could not remove when its stack was at an end. */
    static void exit(LockHandle handle) {
        Deque<LockHandle> handles = HANDLES.get();
        if (handles != null && handles.contains(handle)) {
            while (handles.removeFirst() != handle) {
                // an inner one
            }
        }
        if (handles != null && handles.isEmpty()) {
            HANDLES.remove();
        }
    }
}

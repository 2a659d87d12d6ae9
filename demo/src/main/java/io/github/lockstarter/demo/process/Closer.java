package io.github.lockstarter.demo.process;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Processes and servers that end together, the newest first. Whatever is added after the end is ended at once: so
 * nothing is left of something that is closed while it is still being set up.
 *
 * <p>Thread-safe. The monitor is held also while processes end, so whoever adds or closes meanwhile waits.
 */
public final class Closer implements AutoCloseable {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private volatile boolean closed;

    /**
     * Adds a process or server.
     *
     * @param belonging what to end
     * @param <T> its type
     * @return the same
     * @throws IllegalStateException when all has been ended already; so is this
     */
    public synchronized <T extends AutoCloseable> T add(T belonging) {
        open.push(belonging);
        if (closed) {
            close();
            throw new IllegalStateException("Taken down while it was being set up");
        }
        return belonging;
    }

    /** Ends all of them. The first failure is thrown when all others have been tried. Harmless when repeated. */
    @Override
    public synchronized void close() {
        closed = true;
        IllegalStateException failure = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = new IllegalStateException("Not everything ended: " + e.getMessage(), e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Whether the end has begun. */
    public boolean isClosed() {
        return closed;
    }
}

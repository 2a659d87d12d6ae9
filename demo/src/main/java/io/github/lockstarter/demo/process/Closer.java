package io.github.lockstarter.demo.process;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Processes and servers that are closed together, newest first. Additions after close are closed at once, so nothing
 * is left of a set-up that is closed meanwhile.
 *
 * <p>Thread-safe. The monitor is held while processes end, so concurrent calls wait.
 */
public final class Closer implements AutoCloseable {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private volatile boolean closed;

    /**
     * Adds a process or server.
     *
     * @return the same
     * @throws IllegalStateException if already closed; the argument is closed too
     */
    public synchronized <T extends AutoCloseable> T add(T belonging) {
        open.push(belonging);
        if (closed) {
            close();
            throw new IllegalStateException("Taken down while it was being set up");
        }
        return belonging;
    }

    /** Closes all of them, then throws the first failure. Idempotent. */
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

    /** Whether closing has started. */
    public boolean isClosed() {
        return closed;
    }
}

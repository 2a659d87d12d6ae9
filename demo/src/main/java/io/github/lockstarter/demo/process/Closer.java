package io.github.lockstarter.demo.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What has to be ended, newest first. What is added after the end is ended at once: so nothing is left of something
 * that is closed while it is still being set up. Thread-safe.
 */
public final class Closer implements AutoCloseable {

    private final Object closing = new Object();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private boolean closed;

    /**
     * Adds one.
     *
     * @param belonging what to end
     * @param <T> its type
     * @return the same
     * @throws IllegalStateException when all has been ended already; so is this
     */
    public <T extends AutoCloseable> T add(T belonging) {
        synchronized (this) {
            if (!closed) {
                open.push(belonging);
                return belonging;
            }
        }
        IllegalStateException late = new IllegalStateException("Taken down while it was being set up");
        close(belonging, late);
        throw late;
    }

    /**
     * Ends all of them, or waits until somebody else has. The first failure is thrown when all others have been tried.
     * Harmless when repeated.
     */
    @Override
    public void close() {
        synchronized (closing) {
            IllegalStateException failure = null;
            for (AutoCloseable next = next(); next != null; next = next()) {
                failure = close(next, failure);
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** Whether the end has begun. */
    public synchronized boolean isClosed() {
        return closed;
    }

    private static @Nullable IllegalStateException close(
            AutoCloseable belonging, @Nullable IllegalStateException former) {
        try {
            belonging.close();
            return former;
        } catch (Exception e) {
            if (former == null) {
                return new IllegalStateException("Not everything ended: " + e.getMessage(), e);
            }
            former.addSuppressed(e);
            return former;
        }
    }

    private synchronized @Nullable AutoCloseable next() {
        closed = true;
        return open.poll();
    }
}

package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Tells the listeners, and runs the application's callbacks on threads that may block. A listener that throws harms
 * neither the lock nor the other listeners.
 */
final class Events implements AutoCloseable {

    private final List<LockListener> listeners;
    private final ThreadPoolExecutor callbacks = LockThreads.callbacks();

    Events(List<LockListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    void acquired(LockEvent.Acquired event) {
        for (LockListener listener : listeners) {
            Faults.guard("A lock listener", () -> listener.onAcquired(event));
        }
    }

    void contended(LockEvent.Contended event) {
        for (LockListener listener : listeners) {
            Faults.guard("A lock listener", () -> listener.onContended(event));
        }
    }

    void notAcquired(LockEvent.NotAcquired event) {
        for (LockListener listener : listeners) {
            Faults.guard("A lock listener", () -> listener.onNotAcquired(event));
        }
    }

    void renewed(LockEvent.Renewed event) {
        for (LockListener listener : listeners) {
            Faults.guard("A lock listener", () -> listener.onRenewed(event));
        }
    }

    void released(LockEvent.Released event) {
        for (LockListener listener : listeners) {
            Faults.guard("A lock listener", () -> listener.onReleased(event));
        }
    }

    /** On a callback thread, since a loss is found by the watchdog or an event loop. */
    void lost(LockEvent.Lost event) {
        if (!listeners.isEmpty()) {
            later(() -> {
                for (LockListener listener : listeners) {
                    Faults.guard("A lock listener", () -> listener.onLost(event));
                }
            });
        }
    }

    /** Runs the application's code on a callback thread; on this one when the client is closed already. */
    void later(Runnable callback) {
        Runnable guarded = () -> Faults.guard("A lock callback", callback);
        try {
            callbacks.execute(guarded);
        } catch (RejectedExecutionException closed) {
            guarded.run();
        }
    }

    /** Runs what is queued and takes no more. */
    @Override
    public void close() {
        callbacks.shutdown();
    }
}

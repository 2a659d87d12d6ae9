package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.spi.LockBackend;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Skeleton; being written. */
public final class LockEngine implements LockSource, AutoCloseable {

    /**
     * Creates the engine and registers its mailbox; the given backend is not closed by it.
     *
     * @param backend where the locks are kept
     * @param settings defaults
     * @param listeners told what happens
     * @param clock the clocks
     */
    public LockEngine(LockBackend backend, EngineSettings settings, List<LockListener> listeners, EngineClock clock) {}

    /**
     * Checks a request against the settings without acquiring anything.
     *
     * @param request what would be locked
     * @throws IllegalArgumentException when its lease is above the longest allowed one
     */
    public void validate(LockRequest request) {}

    @Override
    public LockHandle acquire(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public HeldLocks heldLocks() {
        throw new UnsupportedOperationException();
    }

    /** Stops granting, fails the waiters, signals loss to the holders and releases what is held. Idempotent. */
    @Override
    public void close() {}
}

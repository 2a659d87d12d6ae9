package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Refuses requests whose name promises another backend than the one that keeps their keys.
 *
 * @param engine grants the others
 * @param routes the backend of each key
 */
record RoutedSource(LockSource engine, BackendRoutes routes) implements LockSource {

    @Override
    public LockHandle acquire(LockRequest request) {
        routes.check(request);
        return engine.acquire(request);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        routes.check(request);
        return engine.tryAcquire(request);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        routes.check(request);
        return engine.acquireAsync(request);
    }

    @Override
    public HeldLocks heldLocks() {
        return engine.heldLocks();
    }
}

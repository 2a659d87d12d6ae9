package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.engine.LockEngine;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * The engine of an application context. A closed {@link LockEngine} stays closed, so a context that is stopped and
 * started again (a paused test context, a checkpoint) gets a new one behind the same bean. Grants from its construction
 * on, since initialisation callbacks may lock.
 *
 * <p>Stops after whatever uses locks (web server, schedulers and listeners have phases near {@code Integer.MAX_VALUE})
 * and before the Redis connection it releases the locks through (phases 0 and 1).
 *
 * <p>The lifecycle methods are called by one thread at a time, the others by any: both fields are volatile. A call that
 * overlaps a stop meets either engine; a closed one refuses.
 */
final class RestartableEngine implements LockSource, SmartLifecycle, DisposableBean {

    static final int PHASE = 1000;

    private final Supplier<LockEngine> engines;
    private final HeldLocks heldLocks = new CurrentHeldLocks();
    private volatile LockEngine engine;
    private volatile State state = State.FRESH;

    RestartableEngine(Supplier<LockEngine> engines) {
        this.engines = engines;
        this.engine = engines.get();
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return engine.acquire(request);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return engine.tryAcquire(request);
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        return engine.acquireAsync(request);
    }

    @Override
    public HeldLocks heldLocks() {
        return heldLocks;
    }

    @Override
    public void start() {
        if (state == State.STOPPED) {
            engine = engines.get();
        }
        state = State.RUNNING;
    }

    @Override
    public void stop() {
        engine.close();
        state = State.STOPPED;
    }

    @Override
    public boolean isRunning() {
        return state == State.RUNNING;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Closes the engine of a context whose refresh failed before it was started. */
    @Override
    public void destroy() {
        stop();
    }

    private enum State {
        FRESH,
        RUNNING,
        STOPPED
    }

    /** The held locks of whichever engine is the current one. */
    private final class CurrentHeldLocks implements HeldLocks {

        @Override
        public int size() {
            return engine.heldLocks().size();
        }

        @Override
        public List<HeldLock> snapshot() {
            return engine.heldLocks().snapshot();
        }

        @Override
        public Optional<HeldLock> find(String key) {
            return engine.heldLocks().find(key);
        }
    }
}

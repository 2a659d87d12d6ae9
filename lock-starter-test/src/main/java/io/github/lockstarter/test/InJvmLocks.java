package io.github.lockstarter.test;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import java.util.List;

/**
 * Real locks with default settings for a unit test without a Spring context, in this JVM only.
 *
 * <pre>{@code
 * try (InJvmLocks locks = new InJvmLocks()) {
 *     OrderService service = new OrderService(locks);
 *     LockHandle other = locks.acquireAsync("order:42").join(); // held by no thread: the service has to wait
 *     assertThatThrownBy(() -> service.ship(42)).isInstanceOf(LockNotAcquiredException.class);
 * }
 * }</pre>
 *
 * <p>Annotated methods run unlocked unless a Spring context has proxied their object. Thread-safe.
 */
public final class InJvmLocks extends LockTemplate implements AutoCloseable {

    private final LockEngine engine;
    private final LocalLockBackend backend;

    /** Creates independent locks. */
    public InJvmLocks() {
        this(new LocalLockBackend());
    }

    private InJvmLocks(LocalLockBackend backend) {
        this(backend, new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM));
    }

    private InJvmLocks(LocalLockBackend backend, LockEngine engine) {
        super(engine);
        this.backend = backend;
        this.engine = engine;
    }

    /** Releases held locks and stops the threads. */
    @Override
    public void close() {
        engine.close();
        backend.close();
    }
}

package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;

/** This starter as an application gets it that configures nothing, but for the lease of 30 s: renewal on. */
final class StarterClient implements LockClient {

    private final RedisLockBackend backend;
    private final LockEngine engine;
    private final LockTemplate locks;

    /** Called by name, if this is the earlier version. */
    StarterClient(RedisURI uri) {
        this(uri, EngineSettings.DEFAULTS.lease());
    }

    StarterClient(RedisURI uri, Duration lease) {
        RedisSettings settings = RedisSettings.DEFAULTS;
        this.backend = new RedisLockBackend(new PlainRedisConnector(uri, settings), settings);
        this.engine = new LockEngine(backend, withLease(lease), List.of(), EngineClock.SYSTEM);
        this.locks = new LockTemplate(engine, OnLost.THROW);
        backend.start();
    }

    @Override
    public Hold acquire(String key, Duration wait) {
        LockHandle handle = locks.acquire(LockRequest.of(key).waitingUpTo(wait));
        return new Held(handle);
    }

    private static EngineSettings withLease(Duration lease) {
        EngineSettings usual = EngineSettings.DEFAULTS;
        return new EngineSettings(
                lease,
                usual.maxLease(),
                usual.maxWait(),
                usual.retry(),
                usual.watchdog(),
                usual.handOver(),
                usual.showsOwner(),
                usual.warnAfter(),
                usual.crashTakeOver(),
                usual.locks());
    }

    private record Held(LockHandle handle) implements Hold {

        @Override
        public void release() {
            handle.close();
        }

        @Override
        public boolean isHeld() {
            try {
                handle.ensureHeld();
                return true;
            } catch (LockLostException e) {
                return false;
            }
        }
    }

    @Override
    public void close() {
        engine.close();
        backend.close();
    }
}

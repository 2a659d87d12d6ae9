package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.LockHandle;
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

/** This starter as an application gets it that configures nothing: lease 30 s, renewal on. */
final class StarterClient implements LockClient {

    private final RedisLockBackend backend;
    private final LockEngine engine;
    private final LockTemplate locks;

    StarterClient(RedisURI uri) {
        RedisSettings settings = RedisSettings.DEFAULTS;
        this.backend = new RedisLockBackend(new PlainRedisConnector(uri, settings), settings);
        this.engine = new LockEngine(backend, EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);
        this.locks = new LockTemplate(engine, OnLost.THROW);
        backend.start();
    }

    @Override
    public Hold acquire(String key, Duration wait) {
        LockHandle handle = locks.acquire(LockRequest.of(key).waitingUpTo(wait));
        return handle::close;
    }

    @Override
    public void close() {
        engine.close();
        backend.close();
    }
}

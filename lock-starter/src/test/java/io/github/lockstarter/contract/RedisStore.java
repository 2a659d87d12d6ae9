package io.github.lockstarter.contract;

import io.github.lockstarter.redis.DirectRedisConnector;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.RedisSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.TcpProxy;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One Redis server: each application has connections of its own. */
final class RedisStore implements LockStore {

    /** Short, so that a test can sit through it. */
    static final RedisSettings SETTINGS = new RedisSettings("lock:", Duration.ofMillis(600));

    private final RedisURI uri;
    private final List<LockBackend> backends = new ArrayList<>();

    RedisStore(RedisURI uri) {
        this.uri = uri;
    }

    static RedisStore behind(TcpProxy proxy) {
        return new RedisStore(RedisURI.create(proxy.host(), proxy.port()));
    }

    @Override
    public LockBackend connect() {
        RedisURI own = RedisURI.builder(uri).build();
        RedisLockBackend backend = new RedisLockBackend(new DirectRedisConnector(own, SETTINGS), SETTINGS);
        backends.add(backend);
        return backend;
    }

    @Override
    public void close() {
        backends.forEach(LockBackend::close);
    }
}

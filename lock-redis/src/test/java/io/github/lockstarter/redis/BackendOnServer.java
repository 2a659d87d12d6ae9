package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.token;

import io.github.lockstarter.redis.testing.RedisExtension;
import io.github.lockstarter.spi.LockToken;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A backend on a real server, and who uses it. */
abstract class BackendOnServer {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    static final LockToken OWNER = token("a", 1);
    static final LockToken OTHER = token("b", 1);

    RedisCommands<String, String> redis;
    RedisLockBackend backend;
    BackendUser user;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        backend = backend();
        user = new BackendUser(backend);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    static RedisLockBackend backend() {
        return backend(RedisSettings.DEFAULTS);
    }

    static RedisLockBackend backend(RedisSettings settings) {
        return new RedisLockBackend(new DirectRedisConnector(REDIS.server().uri(), settings), settings);
    }
}

package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.token;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.LockToken;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A backend on a real server, and who uses it. */
public abstract class BackendOnServer {

    @RegisterExtension
    public static final RedisExtension REDIS = new RedisExtension();

    public static final LockToken OWNER = token("a", 1);
    public static final LockToken OTHER = token("b", 1);

    public RedisCommands<String, String> redis;
    public RedisLockBackend backend;
    public BackendUser user;

    @BeforeEach
    public void connect() {
        redis = REDIS.server().commands();
        backend = backend();
        user = new BackendUser(backend);
    }

    @AfterEach
    public void close() {
        backend.close();
    }

    public static RedisLockBackend backend() {
        return backend(RedisStore.DEFAULTS);
    }

    public static RedisLockBackend backend(RedisSettings settings) {
        return new RedisLockBackend(new DirectRedisConnector(REDIS.server().uri(), settings), settings);
    }
}

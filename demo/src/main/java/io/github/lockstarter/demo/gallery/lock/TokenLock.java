package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * The lock that the Redis documentation recommends for one server: {@code SET NX PX} with a unique value per grant,
 * and a release that compares and deletes in one script.
 *
 * <p>Flaws: the lease is not renewed during the work; a promoted replica may lack the key; late writes are not
 * detected, since there is no fencing token.
 *
 * @param token unique value of the grant
 */
public record TokenLock(RedisCommands<String, String> redis, Duration lease, String token) implements BrokenLock {

    static final String RELEASE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    @Override
    public boolean tryAcquire(String key) {
        return redis.set(key, token, SetArgs.Builder.nx().px(lease)) != null;
    }

    @Override
    public void release(String key) {
        redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, token);
    }
}

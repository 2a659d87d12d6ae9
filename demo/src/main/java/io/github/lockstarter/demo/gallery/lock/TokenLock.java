package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * The lock that the documentation of Redis recommends for one server: {@code SET NX PX} with a value of its own for
 * each grant, and a release that compares and deletes in one script.
 *
 * <p>Flaws: nobody renews the lease while the work goes on; a replica that is promoted may not have the key; a write
 * that comes late is not recognised, since there is no number that grows from holder to holder.
 *
 * @param redis where it is
 * @param lease when it expires
 * @param token value of the grant, another one each time
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

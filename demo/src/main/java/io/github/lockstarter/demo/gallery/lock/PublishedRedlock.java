package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * Redlock as first published: {@code SET NX PX} with a value of its own on each of five servers; the caller has the
 * lock if a majority granted it, and something of the lease is left after the time that took and an allowance for
 * drift.
 *
 * <p>Flaw: a majority is no majority any more if one of its servers forgets, since its clock jumps or it restarts
 * empty.
 *
 * @param servers those that can be reached; one that throws does not vote
 * @param majority of all servers, also of those that cannot be reached
 * @param lease when it expires
 * @param token value of the grant, another one each time
 */
public record PublishedRedlock(List<RedisCommands<String, String>> servers, int majority, Duration lease, String token)
        implements BrokenLock {

    @Override
    public boolean tryAcquire(String key) {
        long start = System.nanoTime();
        long votes = count(server -> server.set(key, token, SetArgs.Builder.nx().px(lease)) != null);
        long drift = lease.toMillis() / 100 + 2;
        long validity = lease.toMillis() - (System.nanoTime() - start) / 1_000_000 - drift;
        if (votes >= majority && validity > 0) {
            return true;
        }
        release(key);
        return false;
    }

    @Override
    public void release(String key) {
        String[] keys = {key};
        count(server -> server.<Long>eval(TokenLock.RELEASE, ScriptOutputType.INTEGER, keys, token) == 1);
    }

    private long count(Function<RedisCommands<String, String>, Boolean> command) {
        return servers.stream().filter(server -> answersYes(server, command)).count();
    }

    private static boolean answersYes(
            RedisCommands<String, String> server, Function<RedisCommands<String, String>, Boolean> command) {
        try {
            return command.apply(server);
        } catch (RedisException noVote) {
            return false;
        }
    }
}

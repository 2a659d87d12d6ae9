package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * Redlock as first published: {@code SET NX PX} with a unique value on five servers. The caller has the lock if a
 * majority granted it and validity remains after the elapsed time and an allowance for drift.
 *
 * <p>Flaw: a server whose clock jumps or that restarts empty can vote again, for a second majority.
 *
 * @param servers the reachable ones; one that throws does not vote
 * @param majority of all servers, including unreachable ones
 * @param token unique value of the grant
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

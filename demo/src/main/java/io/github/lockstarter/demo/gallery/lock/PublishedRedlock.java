package io.github.lockstarter.demo.gallery.lock;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * Redlock as first published: {@code SET NX PX} with a value of its own on each of five servers; the caller has the
 * lock if a majority granted it, and something of the lease is left after the time that took and an allowance for
 * drift.
 *
 * <p>Flaw: a majority is no majority any more if one of its servers forgets, since its clock jumps or it restarts
 * empty.
 */
public final class PublishedRedlock implements BrokenLock {

    private final List<RedisCommands<String, String>> servers;
    private final Duration lease;
    private String token = "";

    /**
     * A lock.
     *
     * @param servers where it is; one that throws does not vote
     * @param lease when it expires
     */
    public PublishedRedlock(List<RedisCommands<String, String>> servers, Duration lease) {
        this.servers = List.copyOf(servers);
        this.lease = lease;
    }

    @Override
    public boolean tryAcquire(String key) {
        token = UUID.randomUUID().toString();
        long start = System.nanoTime();
        long votes = count(server -> server.set(key, token, SetArgs.Builder.nx().px(lease)) != null);
        long drift = lease.toMillis() / 100 + 2;
        long validity = lease.toMillis() - (System.nanoTime() - start) / 1_000_000 - drift;
        if (votes > servers.size() / 2 && validity > 0) {
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

package io.github.lockstarter.fence;

import io.github.lockstarter.OvertakenException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Lets Redis refuse a holder that has lost its lock, where the protected data is in Redis: {@link #run} runs a script
 * as {@link StringRedisTemplate#execute(RedisScript, List, Object...)} does, unless a later holder has run one. A
 * holder that reads, decides and writes does both by scripts; the first keeps older holders out before it reads.
 *
 * <pre>{@code
 * @DistributedLock(name = "sale", key = "#product")
 * public void buy(String product) {
 *     Long left = fences.run(LEFT, List.of("stock:{" + product + "}"));
 *     …
 *     fences.run(SELL, List.of("stock:{" + product + "}"), String.valueOf(left - 1));
 * }
 * }</pre>
 *
 * <p>The greatest fencing token of a lock is kept in <code>fence:{…}:</code> and the lock's key, with the hash tag of
 * the script's first key, without an expiry. So all scripts that one lock protects need a first key with the same hash
 * tag. A fence that Redis has lost refuses no holder: a failover may lose the last write of a fence, and a {@code
 * maxmemory-policy} for all keys may evict one while the data stays.
 *
 * <p>Thread-safe.
 */
public final class RedisFences {

    /** The error of a script whose caller is refused: the greatest token, and the number of the lock. */
    private static final Pattern OVERTAKEN = Pattern.compile("OVERTAKEN (\\d+) (\\d+)");

    /** Removes its own values from the end of KEYS and ARGV, so that the script finds those of its caller. */
    private static final String ENTER = """
            do
              for lock = tonumber(table.remove(ARGV)), 1, -1 do
                local fence, token = table.remove(KEYS), table.remove(ARGV)
                local greatest = redis.call('GET', fence)
                if greatest and tonumber(greatest) > tonumber(token) then
                  return redis.error_reply('OVERTAKEN ' .. greatest .. ' ' .. lock)
                end
                redis.call('SET', fence, token)
              end
            end
            """;

    private final StringRedisTemplate redis;
    private final Map<String, RedisScript<?>> fenced = new ConcurrentHashMap<>();

    /**
     * Creates the fences of data in Redis.
     *
     * @param redis access to the server that has the data
     */
    public RedisFences(StringRedisTemplate redis) {
        this.redis = redis;
    }

    /**
     * Runs a script, unless a later holder of a lock under which this thread runs has run one with a first key of the
     * same hash tag. The locks are those of {@link Fences#enter()}.
     *
     * @param <T> what the script answers
     * @param script finds keys and arguments as they are given here; must not begin with {@code #!}
     * @param keys at least one; the fences are in the slot of the first
     * @param args arguments
     * @return what the script answers
     * @throws OvertakenException when a later holder has; the script did not run
     * @throws IllegalStateException when this thread runs under no lock, or in a pipeline or {@code MULTI}, where a
     *     refusal would go unnoticed
     * @throws IllegalArgumentException when there is no key
     */
    public <T> @Nullable T run(RedisScript<T> script, List<String> keys, String... args) {
        if (Boolean.TRUE.equals(redis.execute((RedisCallback<Boolean>) RedisFences::answersLater))) {
            throw new IllegalStateException("A fenced script was called in a pipeline or MULTI, where its refusal would"
                    + " go unnoticed. Call it outside of them");
        }
        List<Map.Entry<String, Long>> locks =
                List.copyOf(FencingTokens.ofThread().entrySet());
        List<String> allKeys = new ArrayList<>(keys);
        List<String> allArgs = new ArrayList<>(List.of(args));
        String slot = slotOf(keys);
        locks.forEach(lock -> {
            allKeys.add("fence:{" + slot + "}:" + lock.getKey());
            allArgs.add(lock.getValue().toString());
        });
        allArgs.add(Integer.toString(locks.size()));
        try {
            return redis.execute(fenced(script), allKeys, allArgs.toArray());
        } catch (DataAccessException failure) {
            Matcher refused = OVERTAKEN.matcher(
                    String.valueOf(failure.getMostSpecificCause().getMessage()));
            if (!refused.find()) {
                throw failure;
            }
            Map.Entry<String, Long> lock = locks.get(Integer.parseInt(refused.group(2)) - 1);
            throw new OvertakenException(lock.getKey(), lock.getValue(), Long.parseLong(refused.group(1)));
        }
    }

    private static boolean answersLater(RedisConnection connection) {
        return connection.isPipelined() || connection.isQueueing();
    }

    /** The part of the first key by which a cluster chooses its slot. */
    private static String slotOf(List<String> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("A fenced script needs a key, by whose slot its fence is stored");
        }
        String key = keys.get(0);
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
    }

    @SuppressWarnings("unchecked") // the result type is part of what is looked up
    private <T> RedisScript<T> fenced(RedisScript<T> script) {
        return (RedisScript<T>) fenced.computeIfAbsent(
                script.getSha1() + script.getResultType(),
                sha1 -> script.getResultType() == null
                        ? RedisScript.of(ENTER + script.getScriptAsString())
                        : RedisScript.of(ENTER + script.getScriptAsString(), script.getResultType()));
    }
}

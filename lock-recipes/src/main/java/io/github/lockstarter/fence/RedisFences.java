package io.github.lockstarter.fence;

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
 * Makes Redis reject writes of a holder that has lost its lock: {@link #run} executes a script unless a later holder
 * has run one. A holder that reads, decides and writes must run both steps as scripts; the first one excludes older
 * holders.
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
 * <p>Stores a lock's greatest fencing token under <code>fence:{…}:</code> and the lock's key, without an expiry. The
 * hash tag is that of the script's first key, so all scripts of one lock need the same. A fence that Redis has lost, by
 * a failover or an eviction, rejects no holder. Thread-safe.
 */
public final class RedisFences {

    /** Error of a rejected script: the greatest token and the lock's index. */
    private static final Pattern OVERTAKEN = Pattern.compile("OVERTAKEN (\\d+) (\\d+)");

    /** Removes its own values from the end of KEYS and ARGV. */
    private static final String CHECK_FENCES = """
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
     * Creates the fences.
     *
     * @param redis connects to the server of the data
     */
    public RedisFences(StringRedisTemplate redis) {
        this.redis = redis;
    }

    /**
     * Runs a script, unless a later holder of this thread's locks (see {@link Fences#enter()}) has run one.
     *
     * @param <T> result
     * @param script must not begin with {@code #!}
     * @param keys keys, at least one
     * @param args arguments
     * @return its result
     * @throws OvertakenException if a later holder has run a script; this one did not run
     * @throws IllegalStateException if this thread runs under no lock, or in a pipeline or {@code MULTI}, which hide a
     *     rejection
     * @throws IllegalArgumentException if there is no key
     */
    public <T> @Nullable T run(RedisScript<T> script, List<String> keys, String... args) {
        if (Boolean.TRUE.equals(redis.execute((RedisCallback<Boolean>) RedisFences::isDeferred))) {
            throw new IllegalStateException(
                    "A fenced script was called in a pipeline or MULTI, where its rejection would"
                            + " go unnoticed. Call it outside of them");
        }
        List<Map.Entry<String, Long>> locks =
                List.copyOf(HeldFencingTokens.ofThread().entrySet());
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

    private static boolean isDeferred(RedisConnection connection) {
        return connection.isPipelined() || connection.isQueueing();
    }

    /** The part of the first key that determines its cluster slot. */
    private static String slotOf(List<String> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("A fenced script needs a key, by whose slot its fence is stored");
        }
        String key = keys.get(0);
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
    }

    @SuppressWarnings("unchecked") // the cache key includes the result type
    private <T> RedisScript<T> fenced(RedisScript<T> script) {
        return (RedisScript<T>) fenced.computeIfAbsent(
                script.getSha1() + script.getResultType(),
                sha1 -> script.getResultType() == null
                        ? RedisScript.of(CHECK_FENCES + script.getScriptAsString())
                        : RedisScript.of(CHECK_FENCES + script.getScriptAsString(), script.getResultType()));
    }
}

package io.github.lockstarter.faults.worker;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;

/**
 * The resource that the locks protect: two numbers per key, on a Redis without faults. The first one accepts writes
 * only with the newest registered fencing token, which is registered before the first read; the second accepts every
 * write. Both are read and written as an application would, in two steps with work in between.
 */
public final class ResourceStore implements AutoCloseable {

    /** There when the workers are to end. */
    public static final String ENOUGH = "enough";

    private static final String OPEN = """
            local fence = redis.call('HGET', KEYS[1], 'fence') or '0'
            if ARGV[2] == 'true' and tonumber(ARGV[1]) < tonumber(fence) then
              return {-1, 0}
            end
            if tonumber(ARGV[1]) > tonumber(fence) then
              redis.call('HSET', KEYS[1], 'fence', ARGV[1])
            end
            return {tonumber(redis.call('HGET', KEYS[1], 'fenced') or '0'),
              tonumber(redis.call('HGET', KEYS[1], 'unfenced') or '0')}
            """;

    private static final String READ = """
            if tonumber(ARGV[1]) > tonumber(redis.call('HGET', KEYS[1], 'fence') or '0') then
              redis.call('HSET', KEYS[1], 'fence', ARGV[1])
            end
            return tonumber(redis.call('HGET', KEYS[1], 'fenced') or '0')
            """;

    private static final String WRITE = """
            redis.call('HSET', KEYS[1], 'unfenced', ARGV[4])
            redis.call('HINCRBY', KEYS[1], 'unfencedWrites', 1)
            if ARGV[2] == 'true' and redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then
              return 0
            end
            redis.call('HSET', KEYS[1], 'fenced', ARGV[3])
            redis.call('HINCRBY', KEYS[1], 'fencedWrites', 1)
            return 1
            """;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;
    private final String open;
    private final String read;
    private final String write;

    public ResourceStore(int port) {
        client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withTimeout(Duration.ofSeconds(30))
                .build());
        connection = client.connect();
        redis = connection.sync();
        open = redis.scriptLoad(OPEN);
        read = redis.scriptLoad(READ);
        write = redis.scriptLoad(WRITE);
    }

    /**
     * Values that a writer has read.
     *
     * @param fenced the fenced number; -1 if the writer is too late
     * @param unfenced the other number
     */
    record Read(long fenced, long unfenced) {

        boolean isLate() {
            return fenced < 0;
        }
    }

    /** Registers the fencing token, unless a newer one is there, and reads. */
    Read open(String key, long token, boolean fencing) {
        List<Long> answer = redis.evalsha(
                open,
                ScriptOutputType.MULTI,
                new String[] {name(key)},
                Long.toString(token),
                Boolean.toString(fencing));
        return new Read(answer.get(0), answer.get(1));
    }

    /** Registers the fencing token of a reader, which keeps late writers out, and reads the fenced number. */
    long read(String key, long token) {
        return redis.<Long>evalsha(read, ScriptOutputType.INTEGER, new String[] {name(key)}, Long.toString(token));
    }

    /** Writes both numbers plus one; returns whether the fenced one was accepted. */
    boolean write(String key, long token, Read read, boolean fencing) {
        Long taken = redis.evalsha(
                write,
                ScriptOutputType.INTEGER,
                new String[] {name(key)},
                Long.toString(token),
                Boolean.toString(fencing),
                Long.toString(read.fenced() + 1),
                Long.toString(read.unfenced() + 1));
        return taken == 1;
    }

    /** Whether the workers are to end. */
    boolean isEnough() {
        return redis.exists(ENOUGH) > 0;
    }

    private static String name(String key) {
        return "resource:" + key;
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}

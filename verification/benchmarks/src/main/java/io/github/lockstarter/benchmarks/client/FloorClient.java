package io.github.lockstarter.benchmarks.client;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The minimum of a correct Redis lock: {@code SET NX PX}, and compare-and-delete by {@code EVALSHA}, on one shared
 * connection. Waiters retry after a random 1 to 5 ms.
 */
final class FloorClient implements LockClient {

    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 5_000_000;
    private static final String RELEASE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

    private final Duration lease;
    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final String release;
    private final String instance = UUID.randomUUID().toString();
    private final AtomicLong attempts = new AtomicLong();

    FloorClient(RedisURI uri, Duration lease) {
        this.lease = lease;
        this.client = RedisClient.create(uri);
        this.redis = client.connect().sync();
        this.release = redis.scriptLoad(RELEASE);
    }

    @Override
    public Hold acquire(String key, Duration wait) throws InterruptedException {
        String lockKey = "floor:" + key;
        String token = instance + ":" + attempts.incrementAndGet();
        long end = System.nanoTime() + wait.toNanos();
        while (redis.set(lockKey, token, SetArgs.Builder.nx().px(lease)) == null) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("Not acquired within " + wait + ": " + key);
            }
            TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS));
        }
        return () -> release(lockKey, token);
    }

    private void release(String lockKey, String token) {
        Long deleted = redis.evalsha(release, ScriptOutputType.INTEGER, new String[] {lockKey}, token);
        if (deleted != 1) {
            throw new IllegalStateException("Lost: " + lockKey);
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}

package io.github.lockstarter.benchmarks.server;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** Reads what a server counts, on a connection of its own. */
public final class ServerObserver implements AutoCloseable {

    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    /**
     * Connects.
     *
     * @param uri where Redis is
     */
    public ServerObserver(RedisURI uri) {
        this.client = RedisClient.create(uri);
        this.redis = client.connect().sync();
    }

    /**
     * Raw commands, for what a workload keeps in Redis beside the locks.
     *
     * @return a synchronous connection
     */
    public RedisCommands<String, String> redis() {
        return redis;
    }

    /**
     * Runs something and counts what the server does for it. Nobody else may use the server meanwhile.
     *
     * @param <T> its result
     * @param action what to measure
     * @return its result, and what was counted without the measurement itself
     * @throws Exception when the action throws it
     */
    public <T> Observed<T> during(Callable<T> action) throws Exception {
        Map<String, String> before = info();
        T result = action.call();
        return new Observed<>(result, ServerWork.between(before, info()));
    }

    /**
     * What something resulted in, and what the server did for it.
     *
     * @param <T> type of the result
     * @param result its result
     * @param work what was counted
     */
    public record Observed<T>(T result, ServerWork work) {}

    /**
     * What the server's data and connections take.
     *
     * @return bytes ({@code used_memory})
     */
    public long memory() {
        return Long.parseLong(info().getOrDefault("used_memory", "0"));
    }

    /**
     * The server's version.
     *
     * @return such as {@code 7.0.15}
     */
    public String version() {
        return info().getOrDefault("redis_version", "unknown");
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private Map<String, String> info() {
        Map<String, String> fields = new HashMap<>();
        redis.info("all").lines().filter(line -> line.contains(":")).forEach(line -> {
            int colon = line.indexOf(':');
            fields.put(line.substring(0, colon), line.substring(colon + 1));
        });
        return fields;
    }
}

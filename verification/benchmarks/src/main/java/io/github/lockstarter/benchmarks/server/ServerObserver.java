package io.github.lockstarter.benchmarks.server;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** Reads the counters of Redis on its own connection. */
public final class ServerObserver implements AutoCloseable {

    private final RedisClient client;
    private final RedisCommands<String, String> redis;

    public ServerObserver(RedisURI uri) {
        this.client = RedisClient.create(uri);
        this.redis = client.connect().sync();
    }

    /** For data that a workload keeps in Redis besides locks. */
    public RedisCommands<String, String> redis() {
        return redis;
    }

    /**
     * Runs an action and counts the work of the server, without the measurement. No one else may use the server
     * meanwhile.
     */
    public <T> Observed<T> during(Callable<T> action) throws Exception {
        Map<String, String> before = info();
        T result = action.call();
        return new Observed<>(result, ServerWork.between(before, info()));
    }

    /** Result of an action, and the work of the server. */
    public record Observed<T>(T result, ServerWork work) {}

    @Override
    public void close() {
        client.shutdown();
    }

    private Map<String, String> info() {
        Map<String, String> fields = new HashMap<>();
        redis.info("all")
                .lines()
                .map(line -> line.split(":", 2))
                .filter(parts -> parts.length == 2)
                .forEach(parts -> fields.put(parts[0], parts[1]));
        return fields;
    }
}

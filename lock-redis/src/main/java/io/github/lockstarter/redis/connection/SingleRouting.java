package io.github.lockstarter.redis.connection;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * All keys are on one server.
 *
 * @param link leads there; Lettuce keeps it up
 */
record SingleRouting(RedisLink link) implements Routing {

    @Override
    public RedisLink to(String key) {
        return link;
    }

    @Override
    public Optional<String> nodeOf(String key) {
        return Optional.empty();
    }

    @Override
    public Map<String, CompletableFuture<RedisLink>> toAll() {
        return Map.of("", CompletableFuture.completedFuture(link));
    }

    @Override
    public Map<String, Integer> slots() {
        return Map.of();
    }

    @Override
    public void open(String key, CompletableFuture<RedisLink> user) {
        user.complete(link);
    }
}

package io.github.lockstarter.redis.connection;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Finds the link to the server that has a key. Thread-safe; nothing blocks. */
interface Routing {

    /** The link, or null if it is not open. */
    @Nullable
    RedisLink to(String key);

    /** The address of the server that has a key, as far as it is known; empty if there is only one. */
    Optional<String> nodeOf(String key);

    /**
     * Links to all servers that have keys, each as soon as it is open, by the address of the server if there may be
     * several.
     */
    Map<String, CompletableFuture<RedisLink>> toAll();

    /** One slot of each server, by the address of the server, where the keys are spread over several; else none. */
    Map<String, Integer> slots();

    /** Completes with the link as soon as it is open, or with the reason why it cannot be opened. */
    void open(String key, CompletableFuture<RedisLink> user);
}

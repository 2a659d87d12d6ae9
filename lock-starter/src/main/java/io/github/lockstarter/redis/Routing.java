package io.github.lockstarter.redis;

import org.jspecify.annotations.Nullable;

/** Finds the link to the server that has a key. Thread-safe; nothing blocks. */
interface Routing {

    /** The link, or null if it is not open. */
    @Nullable
    RedisLink to(String key);

    /** Hands the link over as soon as it is open, first come first. */
    void whenOpen(String key, LinkUser user);
}

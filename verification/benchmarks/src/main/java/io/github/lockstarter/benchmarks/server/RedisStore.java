package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.redis.RedisServer;

/** Redis without persistence. */
record RedisStore(RedisServer process) implements StoreServer {

    static RedisStore start() {
        return new RedisStore(RedisServer.start());
    }

    @Override
    public String address() {
        return process.address();
    }

    @Override
    public String description() {
        return process.info("server").get("redis_version") + ", same machine, no persistence";
    }

    @Override
    public long dataSize() {
        return Long.parseLong(process.info("memory").getOrDefault("used_memory", "0"));
    }

    /** Does nothing: deletion frees memory. */
    @Override
    public void compact() {}
}

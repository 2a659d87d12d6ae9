package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.redis.RedisServer;

/** Redis without persistence. */
record RedisStoreServer(RedisServer process) implements StoreServer {

    static RedisStoreServer start() {
        return new RedisStoreServer(RedisServer.start());
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
}

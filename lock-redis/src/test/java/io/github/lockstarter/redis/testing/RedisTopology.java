package io.github.lockstarter.redis.testing;

import java.util.List;

/** Several Redis servers that belong together, as processes of this machine. */
public interface RedisTopology extends AutoCloseable {

    /**
     * All servers that keep data.
     *
     * @return masters and replicas, always in the same order
     */
    List<RedisServer> servers();

    /** Brings it back to that of a new one: everything runs and is in sync, without data, open to everybody. */
    void reset();

    /** Ends all servers and removes their files. Idempotent. */
    @Override
    void close();

    /**
     * Changes the rights of the default user on all servers that keep data.
     *
     * @param rules as {@code ACL SETUSER default} takes them
     */
    default void grantDefaultUser(String... rules) {
        servers().forEach(server -> server.grantDefaultUser(rules));
    }
}

package io.github.lockstarter.redis.master;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * Finds the master among several servers, each of which is asked at the same time. Used by one thread, and blocks it.
 */
public interface MasterChoice {

    /**
     * Connects to the master.
     *
     * @return a connection, and where it leads
     * @throws RedisException when there is none that answers in time
     */
    Master connect();

    /**
     * A server that is the master.
     *
     * @param connection open, for commands
     * @param uri where further connections to it are opened
     */
    record Master(StatefulRedisConnection<String, String> connection, RedisURI uri) {}
}

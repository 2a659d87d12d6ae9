package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.process.ServerProcess;
import java.util.List;
import java.util.stream.Collectors;

/** Several related Redis servers. */
public interface RedisServerGroup extends AutoCloseable {

    /** All data servers in a fixed order. */
    List<RedisServer> servers();

    /** Restores the initial state: all servers run and are in sync, without data or restrictions. */
    void reset();

    /** Stops all servers and deletes their files. Idempotent. */
    @Override
    default void close() {
        servers().forEach(RedisServer::close);
    }

    /** Comma-separated addresses for Spring's properties. */
    default String addresses() {
        return addressesOf(servers());
    }

    /** Changes the permissions of the default user on all data servers. */
    default void grantDefaultUser(String... rules) {
        servers().forEach(server -> server.grantDefaultUser(rules));
    }

    static String addressesOf(List<RedisServer> servers) {
        return servers.stream().map(ServerProcess::address).collect(Collectors.joining(","));
    }
}

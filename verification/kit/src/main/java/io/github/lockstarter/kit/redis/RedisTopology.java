package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.process.ServerProcess;
import java.util.List;
import java.util.stream.Collectors;

/** Several Redis servers that belong together. */
public interface RedisTopology extends AutoCloseable {

    /** All servers that keep data, masters and replicas, always in the same order. */
    List<RedisServer> servers();

    /** Brings it back to the state of a new one: everything runs and is in sync, without data, open to everybody. */
    void reset();

    /** Ends all servers and removes their files. Idempotent. */
    @Override
    default void close() {
        servers().forEach(RedisServer::close);
    }

    /** Host and port of each server, separated by commas, as Spring's properties take them. */
    default String addresses() {
        return addressesOf(servers());
    }

    /** Changes the rights of the default user on all servers that keep data. */
    default void grantDefaultUser(String... rules) {
        servers().forEach(server -> server.grantDefaultUser(rules));
    }

    /** Host and port of each server, separated by commas. */
    static String addressesOf(List<RedisServer> servers) {
        return servers.stream().map(ServerProcess::address).collect(Collectors.joining(","));
    }
}

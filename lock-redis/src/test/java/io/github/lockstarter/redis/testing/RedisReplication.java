package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.Patience;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A master with replicas that nobody watches over: roles change only by {@code REPLICAOF}. */
public final class RedisReplication implements RedisTopology {

    private static final String[] QUICK_SYNC = {
        "--repl-diskless-sync-delay",
        "0",
        "--repl-ping-replica-period",
        "1",
        "--masteruser",
        "fixture",
        "--masterauth",
        "any"
    };

    private final List<RedisServer> servers = new ArrayList<>();

    private RedisReplication() {}

    /**
     * Starts them, and waits until the replicas are in sync.
     *
     * @param replicas how many
     * @return the running servers; close them
     */
    public static RedisReplication start(int replicas) {
        RedisReplication replication = new RedisReplication();
        try {
            replication.servers.add(EmbeddedRedisServer.start(QUICK_SYNC));
            String port = Integer.toString(replication.servers.get(0).port());
            for (int i = 0; i < replicas; i++) {
                replication.servers.add(EmbeddedRedisServer.start(
                        Stream.concat(Stream.of(QUICK_SYNC), Stream.of("--replicaof", "127.0.0.1", port))
                                .toArray(String[]::new)));
            }
            replication.awaitSync();
            return replication;
        } catch (RuntimeException e) {
            replication.close();
            throw e;
        }
    }

    @Override
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /**
     * The server that says that it is the master; the first of several.
     *
     * @return the master
     */
    public RedisServer master() {
        return servers.stream()
                .filter(RedisServer::answers)
                .filter(RedisReplication::isMaster)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No server is a master"));
    }

    /**
     * The servers that say that they are replicas.
     *
     * @return the replicas
     */
    public List<RedisServer> replicas() {
        return servers.stream().filter(server -> !isMaster(server)).toList();
    }

    @Override
    public void reset() {
        revive();
        follow(servers.get(0));
        awaitSync();
        empty();
    }

    /** One server is the master from now on, and the others are its replicas. */
    void follow(RedisServer master) {
        master.commands().replicaofNoOne();
        servers.stream().filter(server -> server != master).forEach(server -> server.commands()
                .replicaof(master.host(), master.port()));
    }

    /** Every server runs again. */
    void revive() {
        for (RedisServer server : servers) {
            server.resume();
            if (!server.answers()) {
                server.restart();
            }
        }
    }

    /** No data, scripts and restrictions are left. */
    void empty() {
        grantDefaultUser("reset", "on", "nopass", "~*", "&*", "+@all");
        RedisCommands<String, String> master = master().commands();
        master.flushall();
        servers.forEach(server -> server.commands().scriptFlush());
    }

    /** One server is the master, and all others have its data. */
    boolean isInSync() {
        List<Map<String, String>> states =
                servers.stream().map(server -> server.info("replication")).toList();
        return states.stream()
                                .filter(state -> "master".equals(state.get("role")))
                                .count()
                        == 1
                && states.stream()
                                .filter(state -> "up".equals(state.get("master_link_status")))
                                .count()
                        == servers.size() - 1;
    }

    private void awaitSync() {
        if (!Patience.until(this::isInSync)) {
            throw new IllegalStateException("The replicas are not in sync:\n"
                    + servers.stream().map(RedisServer::log).toList());
        }
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }

    private static boolean isMaster(RedisServer server) {
        return "master".equals(server.info("replication").get("role"));
    }
}

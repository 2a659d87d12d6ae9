package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.process.Polling;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A master with replicas and without sentinels: roles change only by {@code REPLICAOF}. */
public final class RedisReplication implements RedisServerGroup {

    private final List<RedisServer> servers = new ArrayList<>();

    private RedisReplication() {}

    /** Starts the servers and waits until they are in sync; close them. */
    public static RedisReplication start(int replicas) {
        RedisReplication replication = new RedisReplication();
        try {
            RedisServer master = RedisServer.start(arguments());
            replication.servers.add(master);
            for (int i = 0; i < replicas; i++) {
                replication.servers.add(
                        RedisServer.start(arguments("--replicaof", master.host(), Integer.toString(master.port()))));
            }
            replication.awaitSync();
            return replication;
        } catch (RuntimeException e) {
            replication.close();
            throw e;
        }
    }

    private static String[] arguments(String... more) {
        return Stream.of(
                        FixtureClient.replicaArguments(), Stream.of("--repl-ping-replica-period", "1"), Stream.of(more))
                .flatMap(part -> part)
                .toArray(String[]::new);
    }

    @Override
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** The first server with the role of a master. */
    public RedisServer master() {
        return servers.stream()
                .filter(server -> server.answers() && server.isMaster())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No server is a master"));
    }

    public List<RedisServer> replicas() {
        return servers.stream().filter(server -> !server.isMaster()).toList();
    }

    @Override
    public void reset() {
        revive();
        follow(servers.get(0));
        awaitSync();
        empty();
    }

    /** Makes one server the master of all others. */
    void follow(RedisServer master) {
        master.promote();
        servers.stream().filter(server -> server != master).forEach(server -> server.follow(master));
    }

    void revive() {
        servers.forEach(RedisServer::revive);
    }

    /** Removes data, scripts and restrictions. */
    void empty() {
        servers.forEach(RedisServer::removeRestrictions);
        master().commands().flushall();
        servers.forEach(server -> server.commands().scriptFlush());
    }

    /** Whether there is one master, and all others are in sync. */
    public boolean isInSync() {
        int masters = 0;
        int copies = 0;
        for (RedisServer server : servers) {
            var state = server.info("replication");
            masters += "master".equals(state.get("role")) ? 1 : 0;
            copies += "up".equals(state.get("master_link_status")) ? 1 : 0;
        }
        return masters == 1 && copies == servers.size() - 1;
    }

    private void awaitSync() {
        if (!Polling.until(this::isInSync)) {
            throw new IllegalStateException("The replicas are not in sync:\n"
                    + servers.stream().map(RedisServer::log).toList());
        }
    }
}

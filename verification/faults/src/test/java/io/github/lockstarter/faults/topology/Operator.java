package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisServer;

/** Who promotes the replicas of a topology with {@link Topology.Trait#OPERATED}. */
public record Operator(RedisReplication servers) {

    /** Makes a replica a second master; returns it. */
    public RedisServer promote(RedisServer master) {
        RedisServer second = successorOf(master);
        promoted(second);
        return second;
    }

    /** Makes a replica the master, once the old one accepts no writes. No connection is closed. */
    public void replace(RedisServer master) {
        RedisServer second = successorOf(master);
        demoted(master, second);
        promoted(second);
        settle(second);
    }

    /** Makes all other servers replicas of one, and waits until they are in sync. */
    public void settle(RedisServer master) {
        servers.servers().stream().filter(server -> server != master).forEach(server -> demoted(server, master));
        Roles.await("the servers are in sync", servers::isInSync);
    }

    /** Even after a restart. */
    private static void promoted(RedisServer server) {
        Calls.to(server, commands -> {
            commands.replicaofNoOne();
            return commands.configRewrite();
        });
    }

    private static void demoted(RedisServer server, RedisServer master) {
        Calls.to(server, commands -> {
            commands.replicaof(master.host(), master.port());
            return commands.configRewrite();
        });
    }

    /** The last of the replicas. */
    private RedisServer successorOf(RedisServer master) {
        return servers.servers().stream()
                .filter(server -> server != master)
                .reduce((first, second) -> second)
                .orElseThrow();
    }
}

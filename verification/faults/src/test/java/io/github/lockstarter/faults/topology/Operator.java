package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisServer;

/** Who promotes the replicas of a topology with {@link Topology.Trait#OPERATED}. */
public record Operator(RedisReplication servers) {

    /** Makes a replica a second master; returns it. */
    public RedisServer promote(RedisServer master) {
        RedisServer second = successorOf(master);
        Calls.to(second, commands -> commands.replicaofNoOne());
        return second;
    }

    /** Makes a replica the master, once the old one accepts no writes. No connection is closed. */
    public void replace(RedisServer master) {
        RedisServer second = successorOf(master);
        Calls.to(master, commands -> commands.replicaof(second.host(), second.port()));
        Calls.to(second, commands -> commands.replicaofNoOne());
        settle(second);
    }

    /** Makes all other servers replicas of one, and waits until they are in sync. */
    public void settle(RedisServer master) {
        servers.servers().stream()
                .filter(server -> server != master)
                .forEach(server -> Calls.to(server, commands -> commands.replicaof(master.host(), master.port())));
        Roles.await("the servers are in sync", servers::isInSync);
    }

    /** The last of the replicas. */
    private RedisServer successorOf(RedisServer master) {
        return servers.servers().stream()
                .filter(server -> server != master)
                .reduce((first, second) -> second)
                .orElseThrow();
    }
}

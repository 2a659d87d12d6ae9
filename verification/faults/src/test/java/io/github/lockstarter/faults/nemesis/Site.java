package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.topology.RedisTopology;
import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.List;

/** The target of a fault. Everything in it was drawn with the schedule, so the same seed has the same effects. */
public record Site(Topology topology, List<Victim> victims, PlannedFault plan) {

    /** The chosen worker. */
    public Victim victim() {
        return victims.get(Math.floorMod(plan.lot(), victims.size()));
    }

    /** The worker after the chosen one. */
    Victim neighbour() {
        return victims.get(Math.floorMod(plan.lot() + 1, victims.size()));
    }

    /** The chosen master. */
    public ServerProcess server() {
        List<? extends ServerProcess> servers = topology.masters();
        return servers.get(Math.floorMod(plan.lot(), servers.size()));
    }

    /** The topology of a fault that needs {@link io.github.lockstarter.faults.topology.Topology.Trait#REDIS}. */
    RedisTopology redis() {
        return (RedisTopology) topology;
    }

    /** The server that was drawn, for a fault that needs such a topology. */
    RedisServer redisServer() {
        return (RedisServer) server();
    }

    /** Time from injection to healing. */
    public Duration duration() {
        return plan.duration();
    }

    /** The links of all workers to a server. */
    List<TcpProxy> linksTo(ServerProcess server) {
        int index = topology.servers().indexOf(server);
        return victims.stream().map(victim -> victim.links().get(index)).toList();
    }

    /** The link of the worker that was drawn to the server that was drawn. */
    TcpProxy link() {
        return victim().links().get(topology.servers().indexOf(server()));
    }

    /** Whether the replicas, if there are any, may be behind when this fault strikes. */
    boolean lags() {
        return plan.lot() % 2 == 0;
    }
}

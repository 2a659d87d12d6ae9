package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;

/** Replicas that sentinels promote. */
record SentinelFailover(RedisSentinels topology) implements RedisTopology.Failover {

    @Override
    public RedisServer master(int lot) {
        return topology.master();
    }

    @Override
    public List<RedisServer> replicasOf(RedisServer master) {
        return topology.servers().stream().filter(server -> server != master).toList();
    }

    @Override
    public void promote(RedisServer master) {
        topology.requestFailOver();
    }

    /**
     * The sentinels would see to it too, after about eight seconds. If they gave the failover up, since the master
     * answered again before all of them had agreed on the replica, it is the master still.
     */
    @Override
    public void demote(RedisServer deposed) {
        boolean givenUp = !topology.isReplacedInTime(deposed);
        if (givenUp) {
            return;
        }
        RedisServer master = topology.master();
        replicasOf(master).stream()
                .filter(RedisServer::answers)
                .forEach(server -> Calls.to(server, commands -> commands.replicaof(master.host(), master.port())));
    }

    @Override
    public void settle() {
        Roles.await("sentinels and servers agree", topology::isHealthy);
    }

    @Override
    public List<RedisServer> sentinels() {
        return topology.sentinels();
    }
}

package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;

/** Replicas that the nodes of a cluster elect. */
record ClusterFailover(RedisCluster topology) implements RedisTopology.Failover {

    @Override
    public RedisServer master(int lot) {
        List<RedisServer> masters =
                topology.servers().stream().filter(Roles::isMaster).toList();
        return masters.get(Math.floorMod(lot, masters.size()));
    }

    @Override
    public List<RedisServer> replicasOf(RedisServer master) {
        return List.of(topology.replicaOf(master));
    }

    @Override
    public void promote(RedisServer master) {
        topology.replicaOf(master).commands().clusterFailover(!Roles.isInSync(topology.replicaOf(master)));
    }

    /** A node detects from the others that it is no longer a master. */
    @Override
    public void demote(RedisServer deposed) {
        Roles.await("the deposed master is a replica", () -> !Roles.isMaster(deposed));
    }

    @Override
    public void settle() {
        Roles.await("the cluster is well", topology::isHealthy);
    }
}

package io.github.lockstarter.faults.topology;

import io.github.lockstarter.testing.RedisCluster;
import io.github.lockstarter.testing.RedisServer;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Three masters with a replica each. Without proxies: the nodes tell clients where the slots are, so the faults of links are
 * left to the topologies that are not told.
 */
public final class Cluster implements Topology {

    private final RedisCluster nodes = RedisCluster.start();

    @Override
    public String name() {
        return "cluster";
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.FAILOVER);
    }

    @Override
    public List<RedisServer> servers() {
        return nodes.servers();
    }

    @Override
    public Link link() {
        String addresses = nodes.servers().stream()
                .map(node -> node.host() + ':' + node.port())
                .collect(Collectors.joining(","));
        return new Link("cluster:" + addresses, List.of());
    }

    @Override
    public void close() {
        nodes.close();
    }
}

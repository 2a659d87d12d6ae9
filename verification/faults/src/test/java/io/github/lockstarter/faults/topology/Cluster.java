package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Three masters with one replica each. The nodes announce the slots to a worker, which connects through proxies. */
public final class Cluster implements RedisTopology {

    private final RedisCluster nodes = RedisCluster.start();

    @Override
    public String name() {
        return "cluster";
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.REDIS, Trait.FAILOVER, Trait.PROXIED, Trait.HISTORY_GUARD, Trait.HALF_OPEN);
    }

    @Override
    public List<RedisServer> servers() {
        return nodes.servers();
    }

    @Override
    public List<RedisServer> masters() {
        return servers().stream().filter(Roles::isMaster).toList();
    }

    @Override
    public Link link() {
        List<TcpProxy> proxies = servers().stream().map(TcpProxy::before).toList();
        List<String> addresses = List.of(nodes.addresses().split(",", -1));
        return new Link(
                Address.routed(Address.Kind.CLUSTER, addresses, servers(), proxies)
                        .withDeposedMasterWrites(DEPOSED_MASTER_WRITES),
                proxies);
    }

    @Override
    public Optional<Failover> failover() {
        return Optional.of(new ClusterFailover(nodes));
    }

    @Override
    public void close() {
        nodes.close();
    }
}

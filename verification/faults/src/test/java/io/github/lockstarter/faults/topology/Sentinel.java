package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A master with two replicas and three sentinels. The sentinels announce the master to a worker, which connects through
 * proxies; links between sentinels have no faults.
 */
public final class Sentinel implements RedisTopology {

    private final RedisSentinels servers = RedisSentinels.start();

    @Override
    public String name() {
        return "sentinel";
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(
                Trait.REDIS,
                Trait.FAILOVER,
                Trait.SENTINELS,
                Trait.PROXIED,
                Trait.HISTORY_GUARD,
                Trait.TAKEOVER,
                Trait.HALF_OPEN);
    }

    @Override
    public List<RedisServer> servers() {
        return servers.servers();
    }

    @Override
    public List<RedisServer> masters() {
        return List.of(servers.master());
    }

    @Override
    public Link link() {
        List<TcpProxy> proxies = servers().stream().map(TcpProxy::before).toList();
        List<String> sentinels = List.of(servers.nodes().split(",", -1));
        return new Link(
                Address.routed(Address.Kind.SENTINEL, sentinels, servers(), proxies)
                        .withDeposedMasterWrites(DEPOSED_MASTER_WRITES),
                proxies);
    }

    @Override
    public Optional<Failover> failover() {
        return Optional.of(new SentinelFailover(servers));
    }

    @Override
    public void close() {
        servers.close();
    }
}

package io.github.lockstarter.faults.topology;

import io.github.lockstarter.testing.RedisSentinels;
import io.github.lockstarter.testing.RedisServer;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A master with two replicas and three sentinels. Without proxies: the sentinels tell clients where the master is, so the
 * faults of links are left to the topologies that are not told.
 */
public final class Sentinel implements Topology {

    private final RedisSentinels servers = RedisSentinels.start();

    @Override
    public String name() {
        return "sentinel";
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.FAILOVER);
    }

    @Override
    public List<RedisServer> servers() {
        return servers.servers();
    }

    @Override
    public Link link() {
        return new Link("sentinel:" + servers.nodes(), List.of());
    }

    @Override
    public Optional<Failover> failover() {
        return Optional.of(new Failover() {
            @Override
            public RedisServer master() {
                return servers.master();
            }

            @Override
            public void promote() {
                servers.failOver();
            }

            @Override
            public void awaitPromotion(RedisServer before) {
                servers.awaitPromotion(before);
            }
        });
    }

    @Override
    public void close() {
        servers.close();
    }
}

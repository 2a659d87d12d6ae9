package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Five independent masters without persistence, of which three decide: Redlock. The clock of each can be set,
 * where the machine {@linkplain RedisServer#canSetClock() allows it}.
 */
public final class RedlockQuorum implements RedisTopology {

    private static final int NODES = 5;

    private final RedisQuorum nodes = RedisQuorum.start(NODES);

    @Override
    public String name() {
        return "redlock";
    }

    @Override
    public Set<Trait> traits() {
        Set<Trait> traits =
                EnumSet.of(Trait.REDIS, Trait.PROXIED, Trait.ALONE, Trait.HISTORY_GUARD, Trait.QUORUM, Trait.HALF_OPEN);
        if (RedisServer.canSetClock()) {
            traits.add(Trait.CLOCKS);
        }
        return traits;
    }

    @Override
    public List<RedisServer> servers() {
        return nodes.servers();
    }

    @Override
    public void setClock(RedisServer server, Duration ahead) {
        server.setClock(ahead);
    }

    @Override
    public Link link() {
        List<TcpProxy> proxies = servers().stream().map(TcpProxy::before).toList();
        return new Link(Address.of(Address.Kind.QUORUM, proxies), proxies);
    }

    @Override
    public void close() {
        nodes.close();
    }
}

package io.github.lockstarter.faults.topology;

import io.github.lockstarter.redis.testing.RedisServer;
import io.github.lockstarter.redis.testing.ShiftedClock;
import io.github.lockstarter.redis.testing.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Five independent masters without persistence, of which three decide: Redlock. Each has a clock of its own that can be
 * set, where there is a server that {@linkplain ShiftedClock takes one}.
 */
public final class Quorum implements RedisTopology {

    private static final int NODES = 5;

    private final List<ShiftedClock> clocks;
    private final List<RedisServer> servers = new ArrayList<>();

    /** Starts the servers; close it. */
    public Quorum() {
        clocks = ShiftedClock.isAvailable()
                ? IntStream.range(0, NODES)
                        .mapToObj(node -> ShiftedClock.create())
                        .toList()
                : List.of();
        for (int node = 0; node < NODES; node++) {
            servers.add(
                    clocks.isEmpty() ? RedisServer.start() : clocks.get(node).startServer());
        }
    }

    @Override
    public String name() {
        return "redlock";
    }

    @Override
    public Set<Trait> traits() {
        Set<Trait> traits = EnumSet.of(Trait.REDIS, Trait.PROXIED, Trait.ALONE, Trait.HISTORY_GUARD, Trait.QUORUM);
        if (!clocks.isEmpty()) {
            traits.add(Trait.CLOCKS);
        }
        return traits;
    }

    @Override
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    @Override
    public void setClock(RedisServer server, Duration ahead) {
        clocks.get(servers.indexOf(server)).set(ahead);
    }

    @Override
    public Link link() {
        List<TcpProxy> proxies = servers.stream().map(TcpProxy::before).toList();
        return new Link(Address.of(Address.Kind.QUORUM, proxies), proxies);
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
        clocks.forEach(ShiftedClock::close);
    }
}

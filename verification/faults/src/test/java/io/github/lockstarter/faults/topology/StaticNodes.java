package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A master with two replicas that only an operator promotes. A worker finds the master by the roles of the servers. Its
 * list begins with the last of them, so that the first master in the list is a wrong one if there are two.
 */
public final class StaticNodes implements RedisTopology {

    private final RedisReplication servers = RedisReplication.start(2);

    @Override
    public String name() {
        return "static";
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(
                Trait.REDIS,
                Trait.OPERATED,
                Trait.PROXIED,
                Trait.ALONE,
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
        List<RedisServer> masters = servers().stream().filter(Roles::isMaster).toList();
        return masters.isEmpty() ? servers().subList(0, 1) : masters;
    }

    @Override
    public Optional<Operator> operator() {
        return Optional.of(new Operator(servers));
    }

    @Override
    public Link link() {
        List<TcpProxy> proxies = servers().stream().map(TcpProxy::before).toList();
        List<TcpProxy> listed = new ArrayList<>(proxies);
        Collections.reverse(listed);
        return new Link(Address.of(Address.Kind.STATIC, listed), proxies);
    }

    @Override
    public void close() {
        servers.close();
    }
}

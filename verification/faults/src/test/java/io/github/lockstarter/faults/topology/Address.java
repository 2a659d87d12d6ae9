package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.internal.HostAndPort;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How a worker connects to the servers, as text on its command line.
 *
 * @param nodes servers to contact first: {@code host:port}
 * @param routes where to connect instead of a server that was announced to it
 * @param deposedMasterWrites how long a deposed master continues to write, at most
 */
public record Address(Kind kind, List<String> nodes, Map<String, String> routes, Duration deposedMasterWrites) {

    /** The kind of servers. */
    public enum Kind {
        /** One server. */
        SINGLE,
        /** A master and its replicas. */
        STATIC,
        /** Sentinels that name the master. */
        SENTINEL,
        /** Nodes of a cluster. */
        CLUSTER,
        /** Independent masters. */
        QUORUM,
        /** A PostgreSQL server. */
        POSTGRESQL,
        /** ZooKeeper servers. */
        ZOOKEEPER,
        /** etcd servers. */
        ETCD;

        /** Whether they accept Redis commands. */
        public boolean isRedis() {
            return switch (this) {
                case SINGLE, STATIC, SENTINEL, CLUSTER, QUORUM -> true;
                case POSTGRESQL, ZOOKEEPER, ETCD -> false;
            };
        }
    }

    public Address {
        nodes = List.copyOf(nodes);
        routes = Map.copyOf(routes);
    }

    /**
     * Servers whose own addresses are announced to the worker, and which it reaches through one proxy each, in order.
     */
    static Address routed(Kind kind, List<String> nodes, List<RedisServer> servers, List<TcpProxy> proxies) {
        Map<String, String> routes = IntStream.range(0, servers.size())
                .boxed()
                .collect(Collectors.toMap(
                        i -> at(servers.get(i).host(), servers.get(i).port()), i -> at(proxies.get(i))));
        return new Address(kind, nodes, routes, Duration.ZERO);
    }

    /** Servers that the worker knows only by their proxies. */
    static Address of(Kind kind, List<TcpProxy> proxies) {
        return new Address(kind, proxies.stream().map(Address::at).toList(), Map.of(), Duration.ZERO);
    }

    /** The same with a master that continues for a while after it is deposed. */
    Address withDeposedMasterWrites(Duration most) {
        return new Address(kind, nodes, routes, most);
    }

    /** The servers to contact first. */
    public List<RedisURI> uris() {
        return nodes.stream().map(node -> RedisURI.create("redis://" + node)).toList();
    }

    /** The proxy of a server that was announced to the worker, or the server itself. */
    public HostAndPort route(HostAndPort server) {
        String instead = routes.get(at(server.getHostText(), server.getPort()));
        return instead == null ? server : HostAndPort.parse(instead);
    }

    /** The address as one word, for {@link #parse}. */
    public String toText() {
        return String.join(
                "|",
                kind.name(),
                String.join(",", nodes),
                routes.entrySet().stream()
                        .map(route -> route.getKey() + '=' + route.getValue())
                        .collect(Collectors.joining(",")),
                Long.toString(deposedMasterWrites.toMillis()));
    }

    /** Parses a word of {@link #toText}. */
    public static Address parse(String text) {
        String[] parts = text.split("\\|", -1);
        Map<String, String> routes = Stream.of(parts[2].split(",", -1))
                .filter(route -> !route.isEmpty())
                .map(route -> route.split("=", -1))
                .collect(Collectors.toMap(route -> route[0], route -> route[1]));
        return new Address(
                Kind.valueOf(parts[0]),
                List.of(parts[1].split(",", -1)),
                routes,
                Duration.ofMillis(Long.parseLong(parts[3])));
    }

    private static String at(TcpProxy proxy) {
        return at(proxy.host(), proxy.port());
    }

    private static String at(String host, int port) {
        return host + ':' + port;
    }
}

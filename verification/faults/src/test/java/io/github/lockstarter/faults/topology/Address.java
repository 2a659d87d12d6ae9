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
 * How a worker reaches the servers, as a text on its command line.
 *
 * @param kind what they are
 * @param nodes whom it asks first: {@code host:port}
 * @param routes to whom it connects in place of a server that it was told of
 * @param deposedMasterWrites for how long a deposed master goes on, at most
 */
public record Address(Kind kind, List<String> nodes, Map<String, String> routes, Duration deposedMasterWrites) {

    /** What the servers are. */
    public enum Kind {
        /** One server. */
        SINGLE,
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

        /**
         * Whether they take the commands of Redis.
         *
         * @return false for other stores
         */
        public boolean isRedis() {
            return switch (this) {
                case SINGLE, SENTINEL, CLUSTER, QUORUM -> true;
                case POSTGRESQL, ZOOKEEPER, ETCD -> false;
            };
        }
    }

    /**
     * An address.
     *
     * @param kind what they are
     * @param nodes whom it asks first
     * @param routes to whom it connects in place of a server that it was told of
     * @param deposedMasterWrites for how long a deposed master goes on
     */
    public Address {
        nodes = List.copyOf(nodes);
        routes = Map.copyOf(routes);
    }

    /** Servers that the worker is told of as themselves, and reaches by proxies: one for each, in their order. */
    static Address routed(Kind kind, List<String> nodes, List<RedisServer> servers, List<TcpProxy> proxies) {
        Map<String, String> routes = IntStream.range(0, servers.size())
                .boxed()
                .collect(Collectors.toMap(
                        i -> at(servers.get(i).host(), servers.get(i).port()), i -> at(proxies.get(i))));
        return new Address(kind, nodes, routes, Duration.ZERO);
    }

    /** Servers of which the worker knows the proxies only. */
    static Address of(Kind kind, List<TcpProxy> proxies) {
        return new Address(kind, proxies.stream().map(Address::at).toList(), Map.of(), Duration.ZERO);
    }

    /** The same with a master that goes on for a while. */
    Address withDeposedMasterWrites(Duration most) {
        return new Address(kind, nodes, routes, most);
    }

    /**
     * Whom to ask first.
     *
     * @return where they are
     */
    public List<RedisURI> uris() {
        return nodes.stream().map(node -> RedisURI.create("redis://" + node)).toList();
    }

    /**
     * To whom to connect.
     *
     * @param server that the worker was told of
     * @return the proxy before it, or itself
     */
    public HostAndPort route(HostAndPort server) {
        String instead = routes.get(at(server.getHostText(), server.getPort()));
        return instead == null ? server : HostAndPort.parse(instead);
    }

    /**
     * The address as one word.
     *
     * @return what {@link #parse} reads
     */
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

    /**
     * Reads what {@link #toText} wrote.
     *
     * @param text one word
     * @return the address
     */
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

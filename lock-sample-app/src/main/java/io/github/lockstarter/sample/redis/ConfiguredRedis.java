package io.github.lockstarter.sample.redis;

import io.github.lockstarter.sample.process.Loopback;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * What {@code spring.data.redis.*} points to.
 *
 * @param description for people; never a password
 * @param server the one server that can be looked for; empty for Sentinel, Cluster and static replicas, whose absence
 *     the sample leaves to Lettuce
 */
record ConfiguredRedis(String description, Optional<Server> server) {

    private static final int DEFAULT_PORT = 6379;
    private static final List<String> TOPOLOGIES = List.of("sentinel.nodes", "cluster.nodes", "masterreplica.nodes");

    /**
     * A server's address.
     *
     * @param host its name
     * @param port its port
     */
    record Server(String host, int port) {

        boolean isListening() {
            return Loopback.isListening(new InetSocketAddress(host, port));
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    static ConfiguredRedis in(Environment environment) {
        Binder binder = Binder.get(environment);
        for (String topology : TOPOLOGIES) {
            List<String> nodes = binder.bind("spring.data.redis." + topology, Bindable.listOf(String.class))
                    .orElse(List.of());
            if (!nodes.isEmpty()) {
                return new ConfiguredRedis(topology + " " + String.join(", ", nodes), Optional.empty());
            }
        }
        Server server = environment.containsProperty("spring.data.redis.url")
                ? fromUrl(URI.create(environment.getRequiredProperty("spring.data.redis.url")))
                : new Server(
                        environment.getProperty("spring.data.redis.host", "localhost"),
                        environment.getProperty("spring.data.redis.port", Integer.class, DEFAULT_PORT));
        return new ConfiguredRedis(server.toString(), Optional.of(server));
    }

    /** Whether there is one server to look for, and nobody listens there. */
    boolean isAbsent() {
        return server.map(address -> !address.isListening()).orElse(false);
    }

    private static Server fromUrl(URI url) {
        return new Server(url.getHost(), url.getPort() < 0 ? DEFAULT_PORT : url.getPort());
    }
}

package io.github.lockstarter.autoconfigure.redlock;

import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.LockClientResources;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;

/** The servers of the quorum, each with its own client, on the same threads. The quorum's backend is closed first. */
final class RedlockNodes implements AutoCloseable {

    private static final RedisSetup SETUP = new RedisSetup(
            "distributed-lock.redlock.nodes",
            "distributed-lock.redlock.nodes",
            "the user in its address, or distributed-lock.redlock.username and distributed-lock.redlock.password,",
            "the database in its address, distributed-lock.redlock.nodes,",
            "distributed-lock.redlock.node-timeout",
            "name servers in distributed-lock.redlock.nodes that stand alone",
            "rediss:// before its address in distributed-lock.redlock.nodes, or a bundle in"
                    + " distributed-lock.redlock.ssl-bundle",
            "redis:// before its address in distributed-lock.redlock.nodes, and no distributed-lock.redlock.ssl-bundle",
            "distributed-lock.redlock.ssl-bundle to a bundle that trusts it, such as one with"
                    + " spring.ssl.bundle.pem.<bundle>.truststore.certificate",
            "Set distributed-lock.redlock.nodes to servers with one master each, without Active-Active or"
                    + " active-replica");

    private final LockClientResources resources;
    private final List<RedisLockBackend> backends;

    /**
     * Creates the clients without connecting them.
     *
     * @param application provides client name, resolver, Netty customizer and SSL bundles
     */
    RedlockNodes(RedlockProperties redlock, RedisSettings settings, ApplicationContext application) {
        this.resources = LockClientResources.like(Optional.ofNullable(
                application.getBeanProvider(ClientResources.class).getIfUnique()));
        SslOptions ssl = redlock.sslBundle() == null
                ? SslOptions.create()
                : sslOptions(application.getBean(SslBundles.class).getBundle(redlock.sslBundle()));
        ClientOptions options =
                settings.tune(ClientOptions.builder().sslOptions(ssl).build());
        String clientName = LockClientResources.clientName(
                application.getEnvironment().getProperty("spring.application.name", "application"));
        this.backends = redlock.servers().stream()
                .map(server -> {
                    RedisURI uri = server.uri(redlock.username(), redlock.password());
                    uri.setClientName(clientName);
                    uri.setTimeout(settings.commandTimeout());
                    RedisClient client = RedisClient.create(resources.resources(), uri);
                    client.setOptions(options);
                    Target target = new Target(server.target(), uri.isSsl(), SETUP);
                    RedisConnector connector = RedisConnectors.toServer(
                            client, target, () -> client.shutdown(Duration.ZERO, LockClientResources.SHUTDOWN));
                    return new RedisLockBackend(connector, settings);
                })
                .toList();
    }

    List<RedisLockBackend> backends() {
        return backends;
    }

    @Override
    public void close() {
        resources.close();
    }

    private static SslOptions sslOptions(SslBundle bundle) {
        SslOptions.Builder options = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        if (bundle.getOptions().getCiphers() != null) {
            options.cipherSuites(bundle.getOptions().getCiphers());
        }
        if (bundle.getOptions().getEnabledProtocols() != null) {
            options.protocols(bundle.getOptions().getEnabledProtocols());
        }
        return options.build();
    }
}

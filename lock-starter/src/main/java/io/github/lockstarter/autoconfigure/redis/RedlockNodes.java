package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.connector.RedisConnectors.Target;
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
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * The servers of the quorum, each with a client of its own on shared threads. The backend of the quorum closes them
 * before the threads end.
 */
final class RedlockNodes implements AutoCloseable {

    /**
     * One of them.
     *
     * @param target where it is, for messages
     * @param backend keeps locks there
     */
    record Member(String target, RedisLockBackend backend) {}

    private final ClientResources resources;
    private final List<Member> members;

    /**
     * Prepares connections to the servers; connects nothing yet.
     *
     * @param redlock where they are
     * @param settings how each of them is used
     * @param link what all connections have in common
     */
    RedlockNodes(RedlockProperties redlock, RedisSettings settings, Link link) {
        this.resources = SpringRedisConnector.resources(link.resources);
        ClientOptions options = settings.tune(ClientOptions.builder()
                .sslOptions(link.bundle == null ? SslOptions.create() : sslOptions(link.bundle))
                .build());
        this.members = redlock.servers().stream()
                .map(server -> {
                    RedisURI uri = server.uri(redlock.username(), redlock.password());
                    uri.setClientName(link.clientName);
                    uri.setTimeout(settings.commandTimeout());
                    RedisClient client = RedisClient.create(resources, uri);
                    client.setOptions(options);
                    Target target = new Target(server.target(), uri.isSsl(), RedisSetup.QUORUM_NODE);
                    RedisConnector connector = RedisConnectors.toServer(
                            client, target, () -> client.shutdown(Duration.ZERO, SpringRedisConnector.SHUTDOWN));
                    return new Member(server.target(), new RedisLockBackend(connector, settings));
                })
                .toList();
    }

    /** In the order of the configuration. */
    List<Member> members() {
        return members;
    }

    List<RedisLockBackend> backends() {
        return members.stream().map(Member::backend).toList();
    }

    @Override
    public void close() {
        SpringRedisConnector.close(resources);
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

    /**
     * What all connections have in common.
     *
     * @param clientName what they are called in {@code CLIENT LIST}
     * @param resources the threads of the application, if it has any for Redis
     * @param bundle what TLS needs; null for what the JVM trusts
     */
    record Link(
            String clientName,
            Optional<ClientResources> resources,
            @Nullable SslBundle bundle) {}
}

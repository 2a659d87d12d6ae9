package io.github.lockstarter.etcd;

import io.github.lockstarter.DurationText;
import io.grpc.ChannelCredentials;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Settings of the etcd backend.
 *
 * @param keyPrefix prefix of all stored keys
 * @param endpoints client URLs of the members of one cluster, such as {@code http://localhost:2379}
 * @param credentials user; empty if etcd has authentication disabled
 * @param tls for https endpoints; empty to trust the JVM's certificates without a client certificate
 * @param commandTimeout timeout of a command with all its requests: 100 ms to 60 s
 */
public record EtcdSettings(
        String keyPrefix,
        List<URI> endpoints,
        Optional<EtcdCredentials> credentials,
        Optional<ChannelCredentials> tls,
        Duration commandTimeout) {

    /**
     * Validates the settings.
     *
     * @param keyPrefix prefix
     * @param endpoints URLs
     * @param credentials user
     * @param tls certificates
     * @param commandTimeout timeout
     * @throws IllegalArgumentException when the timeout is out of range, or there is no endpoint or a duplicate
     */
    public EtcdSettings {
        endpoints = List.copyOf(endpoints);
        DurationText.check(
                "distributed-lock.etcd.command-timeout",
                commandTimeout,
                Duration.ofMillis(100),
                Duration.ofSeconds(60));
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("distributed-lock.etcd.endpoints is empty: name the client URL of at"
                    + " least one member, such as http://localhost:2379");
        }
        if (new HashSet<>(endpoints).size() < endpoints.size()) {
            throw new IllegalArgumentException("distributed-lock.etcd.endpoints has a URL twice: " + endpoints);
        }
    }

    /**
     * {@return the parsed URL of a member}
     *
     * @param endpoint such as {@code http://localhost:2379}
     * @throws IllegalArgumentException when it is not a URL of a host and a port
     */
    public static URI endpoint(String endpoint) {
        try {
            URI uri = new URI(endpoint.trim());
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            boolean bare = uri.getUserInfo() == null
                    && uri.getRawQuery() == null
                    && (uri.getRawPath() == null
                            || uri.getRawPath().replace("/", "").isEmpty());
            if (http && bare && uri.getHost() != null && uri.getPort() > 0) {
                return new URI(uri.getScheme(), null, uri.getHost(), uri.getPort(), null, null, null);
            }
        } catch (URISyntaxException e) {
            // Rejected below.
        }
        throw new IllegalArgumentException("distributed-lock.etcd.endpoints has an entry that is not of the form"
                + " http://host:port or https://host:port: '" + withoutUser(endpoint) + "'");
    }

    /** Hides a user and password in the URL. */
    private static String withoutUser(String endpoint) {
        return endpoint.replaceAll("//.*@", "//…@");
    }

    /** Such as {@code etcd at localhost:2379}. */
    String target() {
        return "etcd at "
                + String.join(",", endpoints.stream().map(URI::getAuthority).toList());
    }
}

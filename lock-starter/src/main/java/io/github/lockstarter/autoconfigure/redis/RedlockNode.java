package io.github.lockstarter.autoconfigure.redis;

import io.lettuce.core.RedisURI;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code distributed-lock.redlock.nodes}: {@code host:port}, or {@code redis://user:password@host:port},
 * with {@code rediss} for TLS. Messages never show a user or a password.
 *
 * @param address scheme, login, host, port
 */
record RedlockNode(URI address) {

    private static final int DEFAULT_PORT = 6379;
    private static final String WITH_TLS = "rediss";

    /**
     * Reads an entry.
     *
     * @param entry as it is configured
     * @param bundled whether TLS is configured for all nodes
     * @throws IllegalArgumentException when it is none, or says that it has no TLS
     */
    static RedlockNode parse(String entry, boolean bundled) {
        String text = entry.strip();
        URI address;
        try {
            address = URI.create(text.contains("://") ? text : (bundled ? "rediss://" : "redis://") + text);
        } catch (IllegalArgumentException e) {
            throw unreadable(text);
        }
        if (address.getHost() == null || !Set.of("redis", WITH_TLS).contains(address.getScheme())) {
            throw unreadable(text);
        }
        RedlockNode node = new RedlockNode(address);
        if (bundled && !node.isEncrypted()) {
            throw new IllegalArgumentException("distributed-lock.redlock.nodes has redis://" + node.target()
                    + ", which is without TLS, and distributed-lock.redlock.ssl-bundle is set. Begin it with rediss://,"
                    + " or remove the bundle");
        }
        return node;
    }

    private static IllegalArgumentException unreadable(String text) {
        return new IllegalArgumentException("distributed-lock.redlock.nodes has '"
                + text.substring(text.lastIndexOf('@') + 1)
                + "' (a login is not shown here), which is not a server address. Write host:port, or"
                + " redis://user:password@host:port, or the same with rediss:// for TLS");
    }

    /** Its address, for messages and to distinguish servers. */
    String target() {
        int port = address.getPort() < 0 ? DEFAULT_PORT : address.getPort();
        return address.getHost().toLowerCase(Locale.ROOT) + ":" + port;
    }

    boolean isEncrypted() {
        return WITH_TLS.equals(address.getScheme());
    }

    /** Where to connect to, and with which user: that of the address, else that of all nodes. */
    RedisURI uri(@Nullable String username, @Nullable String password) {
        RedisURI uri = RedisURI.create(address);
        if (address.getUserInfo() == null && password != null) {
            if (username == null) {
                uri.setAuthentication(password.toCharArray());
            } else {
                uri.setAuthentication(username, password.toCharArray());
            }
        }
        return uri;
    }

    @Override
    public String toString() {
        return target();
    }
}

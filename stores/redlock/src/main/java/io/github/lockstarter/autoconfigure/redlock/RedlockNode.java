package io.github.lockstarter.autoconfigure.redlock;

import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code distributed-lock.redlock.nodes}: {@code host:port} or {@code redis://user:password@host:port},
 * with {@code rediss} for TLS. Messages never show the login.
 */
record RedlockNode(URI address) {

    private static final int DEFAULT_PORT = 6379;
    private static final String WITH_TLS = "rediss";

    /** Behind a slash or another of these signs, {@code @} belongs to a login that is not encoded. */
    private static final Pattern ADDRESS = Pattern.compile("([\\w-]+://)?[^/?#]*(/\\d{0,9})?([?#][^@]*)?");

    /** May be a password, if an entry without {@code @} is not an address. */
    private static final Pattern AFTER_NAME = Pattern.compile("(?<!:|:/)[:/?#](?!//).*", Pattern.DOTALL);

    /**
     * @param bundled whether an SSL bundle is configured, which requires TLS
     * @throws IllegalArgumentException if the entry is invalid or excludes TLS
     */
    static RedlockNode parse(String entry, boolean bundled) {
        String text = entry.strip();
        URI address;
        try {
            address = URI.create(text.contains("://") ? text : (bundled ? "rediss://" : "redis://") + text);
        } catch (IllegalArgumentException e) {
            throw unreadable(text);
        }
        if (address.getHost() == null
                || !Set.of("redis", WITH_TLS).contains(address.getScheme())
                || !ADDRESS.matcher(text).matches()) {
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
        String shown = text.contains("@")
                ? text.substring(text.lastIndexOf('@') + 1)
                : AFTER_NAME.matcher(text).replaceFirst("...");
        return new IllegalArgumentException("distributed-lock.redlock.nodes has '"
                + shown
                + "' (a login is not shown here), which is not a server address. Write host:port, or"
                + " redis://user:password@host:port, or the same with rediss:// for TLS");
    }

    /** Host and port, for messages and comparison. */
    String target() {
        int port = address.getPort() < 0 ? DEFAULT_PORT : address.getPort();
        return address.getHost().toLowerCase(Locale.ROOT) + ":" + port;
    }

    boolean isEncrypted() {
        return WITH_TLS.equals(address.getScheme());
    }

    /** The address with its login, else the common login. */
    RedisURI uri(@Nullable String username, @Nullable String password) {
        RedisURI uri = RedisURI.create(address);
        if (address.getUserInfo() == null && password != null) {
            uri.setCredentialsProvider(new StaticCredentialsProvider(username, password.toCharArray()));
        }
        return uri;
    }

    @Override
    public String toString() {
        return target();
    }
}

package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.TlsFiles;
import java.nio.file.Path;

/** What tests of other packages do to servers beyond {@link RedisServer}. */
public final class RawAccess {

    private RawAccess() {}

    /**
     * Creates or changes a user.
     *
     * @param server a server or a sentinel
     * @param user its name
     * @param rules as {@code ACL SETUSER} takes them
     */
    public static void setUser(RedisServer server, String user, String... rules) {
        RawCommands.aclSetUser(server.commands(), user, rules);
    }

    /**
     * Whether servers of this version have rights to read a key and not to write it.
     *
     * @return false before 7.0
     */
    public static boolean hasRightsToReadOnly() {
        return !RedisBinary.isBefore(7, 0);
    }

    /**
     * Whether servers of this version heed {@code min-replicas-to-write} in scripts.
     *
     * @return false before 6.2
     */
    public static boolean bindsScriptsToReplicas() {
        return !RedisBinary.isBefore(6, 2);
    }

    /**
     * Whether servers of this version have rights for channels.
     *
     * @return false before 6.2
     */
    public static boolean hasRightsForChannels() {
        return !RedisBinary.isBefore(6, 2);
    }

    /**
     * Starts a server that also listens with TLS.
     *
     * @param files its certificate
     * @return the server; close it
     */
    public static TlsServer startTls(TlsFiles files) {
        int port = FreePort.next();
        RedisServer server = EmbeddedRedisServer.start(
                "--tls-port",
                Integer.toString(port),
                "--tls-cert-file",
                files.certificate().toString(),
                "--tls-key-file",
                files.key().toString(),
                "--tls-ca-cert-file",
                files.certificate().toString(),
                "--tls-auth-clients",
                "no");
        return new TlsServer(server, port);
    }

    /**
     * Starts a server of this machine that also listens on a Unix socket.
     *
     * @param socket where
     * @return the server; close it
     */
    public static RedisServer startOnSocket(Path socket) {
        return EmbeddedRedisServer.start("--unixsocket", socket.toString());
    }

    /**
     * A server that also listens with TLS.
     *
     * @param server the server
     * @param port where it listens with TLS
     */
    public record TlsServer(RedisServer server, int port) implements AutoCloseable {

        @Override
        public void close() {
            server.close();
        }
    }
}

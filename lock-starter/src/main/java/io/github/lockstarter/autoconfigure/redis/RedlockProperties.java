package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redlock.RedlockSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The configuration of locks on a quorum of independent Redis servers, beside that of all locks.
 *
 * @param nodes Addresses of the servers that decide by a majority: three or more, preferably five, each host:port
 *     or redis://user:password@host:port, with rediss for TLS. They stand alone: no server replicates another one.
 * @param nodeTimeout How long the client waits for the reply of one server, and for a connection to it: from 100ms
 *     to a quarter of every lease.
 * @param username User for the servers whose address has no login.
 * @param password Password for the servers whose address has no login.
 * @param sslBundle SSL bundle for the connections to all servers. Turns TLS on.
 */
@ConfigurationProperties(prefix = RedlockProperties.PREFIX, ignoreUnknownFields = false)
record RedlockProperties(
        @DefaultValue List<String> nodes,
        @DefaultValue("500ms") Duration nodeTimeout,
        @Nullable String username,
        @Nullable String password,
        @Nullable String sslBundle) {

    static final String PREFIX = "distributed-lock.redlock";

    RedlockProperties {
        nodes = List.copyOf(nodes);
    }

    List<RedlockNode> servers() {
        return nodes.stream()
                .map(entry -> RedlockNode.parse(entry, sslBundle != null))
                .toList();
    }

    /** What the servers of a quorum have in common. */
    RedlockSettings settings(LockSettings locks) {
        return new RedlockSettings(nodeTimeout, locks.longestLease());
    }

    /**
     * How each server of a quorum is used. A server that seems never used may have been emptied before this instance
     * started: it votes after the grace.
     */
    RedisSettings nodeSettings(LockSettings locks) {
        return new RedisSettings(
                locks.keyPrefix(),
                nodeTimeout,
                new RedisSettings.Guard(locks.longestLease(), RedisSettings.FirstUse.GRACE, Duration.ZERO));
    }

    /** Without passwords. */
    @Override
    public String toString() {
        return "Redlock[" + nodes.size() + " nodes]";
    }
}

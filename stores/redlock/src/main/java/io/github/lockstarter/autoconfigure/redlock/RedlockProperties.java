package io.github.lockstarter.autoconfigure.redlock;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The configuration of locks on a quorum of Redis servers.
 *
 * @param nodes Addresses of the servers, three or more, preferably five, each host:port or
 *     redis://user:password@host:port, with rediss for TLS. The servers must be independent: none may replicate
 *     another.
 * @param nodeTimeout Timeout of a command to one server and of connecting to it, from 100ms to a quarter of every
 *     lease.
 * @param username User for servers without a login in their address.
 * @param password Password for servers without a login in their address.
 * @param sslBundle SSL bundle for all connections. Enables TLS.
 */
@ConfigurationProperties(prefix = RedlockProperties.PREFIX, ignoreUnknownFields = false)
record RedlockProperties(
        @DefaultValue List<String> nodes,
        @DefaultValue("500ms") Duration nodeTimeout,
        @Nullable String username,
        @Nullable String password,
        @Nullable String sslBundle)
        implements LockBackendOption {

    static final String NAME = "redlock";
    static final String PREFIX = "distributed-lock." + NAME;

    private static final int LEAST_NODES = 3;

    /** An acquisition takes up to two rounds; most of the lease must remain after them. */
    private static final int TIMEOUTS_IN_LEASE = 4;

    RedlockProperties {
        nodes = List.copyOf(nodes);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        List<RedlockNode> servers = servers();
        checkDistinct(servers);
        if (locks.backendsInUse().contains(NAME)) {
            checkNumber(servers.size());
            checkTimeout(locks);
        } else if (!servers.isEmpty() && !locks.backend().equals(LOCAL)) {
            throw new IllegalArgumentException("distributed-lock.redlock.nodes is set, and no lock is kept there. Set"
                    + " distributed-lock.backend=redlock, or distributed-lock.further-backends=redlock for some of the"
                    + " locks, or remove the nodes");
        }
    }

    @Override
    public void checkTerms(LockTerms terms, String key) {
        LockBackendOption.refusePermits("Redlock", terms, key);
        terms.lease().ifPresent(asked -> checkLease("the lease of lock '" + key + "'", asked));
    }

    private static void checkDistinct(List<RedlockNode> servers) {
        Set<String> seen = new HashSet<>();
        for (RedlockNode server : servers) {
            if (!seen.add(server.target())) {
                throw new IllegalArgumentException("distributed-lock.redlock.nodes has " + server.target()
                        + " twice; a server with two votes makes a false majority. Name each server once");
            }
        }
    }

    private static void checkNumber(int servers) {
        if (servers < LEAST_NODES) {
            throw new IllegalArgumentException("distributed-lock.redlock.nodes has " + servers
                    + " addresses; a quorum needs " + LEAST_NODES
                    + " servers or more, so that one may fail; with 5, two may. Add servers, or keep the locks in one"
                    + " Redis: distributed-lock.backend=redis");
        }
    }

    private void checkTimeout(LockSettings locks) {
        DurationText.check(
                "distributed-lock.redlock.node-timeout",
                nodeTimeout,
                RedisSettings.MIN_COMMAND_TIMEOUT,
                RedisSettings.MAX_COMMAND_TIMEOUT);
        checkLease("distributed-lock.lease", locks.lease());
        if (locks.backend().equals(NAME)) {
            locks.leases().forEach((name, lease) -> checkLease("distributed-lock.locks." + name + ".lease", lease));
        }
    }

    private void checkLease(String what, Duration lease) {
        if (nodeTimeout.multipliedBy(TIMEOUTS_IN_LEASE).compareTo(lease) > 0) {
            throw new IllegalArgumentException("distributed-lock.redlock.node-timeout is "
                    + DurationText.exactly(nodeTimeout) + ", above a quarter of " + what + " ("
                    + DurationText.exactly(lease)
                    + "): little of the lease would be left after waiting for servers that are down. Lower the "
                    + "timeout, or raise the lease");
        }
    }

    List<RedlockNode> servers() {
        return nodes.stream()
                .map(entry -> RedlockNode.parse(entry, sslBundle != null))
                .toList();
    }

    /**
     * A server that looks unused may have been emptied before this instance started, so it votes only after the grace
     * period.
     */
    RedisSettings nodeSettings(LockSettings locks) {
        return new RedisSettings(
                locks.keyPrefix(),
                nodeTimeout,
                new RedisSettings.HistoryGuard(locks.longestLease(), RedisSettings.FirstUse.GRACE, Duration.ZERO));
    }

    /** Omits passwords. */
    @Override
    public String toString() {
        return "Redlock[" + nodes.size() + " nodes]";
    }
}

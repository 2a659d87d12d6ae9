package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Locks on a quorum of independent Redis servers, and what a quorum needs to keep them.
 *
 * @param properties its configuration
 */
record RedlockOption(RedlockProperties properties) implements LockBackendOption {

    static final String NAME = "redlock";

    private static final int LEAST_NODES = 3;

    /** An acquisition takes up to two rounds, and the lease has to outlive them by far. */
    private static final int TIMEOUTS_IN_LEASE = 4;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        List<RedlockNode> servers = properties.servers();
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
    public void checkRequest(LockRequest request, String key) {
        request.lease().ifPresent(asked -> checkLease("the lease of lock '" + key + "'", asked));
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
        if (properties.nodeTimeout().compareTo(RedisSettings.MIN_COMMAND_TIMEOUT) < 0
                || properties.nodeTimeout().compareTo(RedisSettings.MAX_COMMAND_TIMEOUT) > 0) {
            throw new IllegalArgumentException("distributed-lock.redlock.node-timeout is "
                    + DurationText.exactly(properties.nodeTimeout()) + "; it must be between "
                    + DurationText.exactly(RedisSettings.MIN_COMMAND_TIMEOUT) + " and "
                    + RedisSettings.MAX_COMMAND_TIMEOUT.toSeconds() + "s");
        }
        checkLease("distributed-lock.lease", locks.lease());
        if (locks.backend().equals(NAME)) {
            locks.leases().forEach((name, lease) -> checkLease("distributed-lock.locks." + name + ".lease", lease));
        }
    }

    /** Checks whether a lease leaves enough time when servers do not answer. */
    private void checkLease(String what, Duration lease) {
        if (properties.nodeTimeout().multipliedBy(TIMEOUTS_IN_LEASE).compareTo(lease) > 0) {
            throw new IllegalArgumentException("distributed-lock.redlock.node-timeout is "
                    + DurationText.exactly(properties.nodeTimeout()) + ", above a quarter of " + what + " ("
                    + DurationText.exactly(lease)
                    + "): little of the lease would be left after waiting for servers that are down. Lower the timeout, or"
                    + " raise the lease");
        }
    }
}

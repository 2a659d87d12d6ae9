package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.Named;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.Redlock;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the properties of Redlock, so that a quorum can keep locks. */
final class RedlockRules {

    private static final int LEAST_NODES = 3;

    /** An acquisition takes up to two rounds, and the lease has to outlive them by far. */
    private static final int TIMEOUTS_IN_LEASE = 4;

    private RedlockRules() {}

    /**
     * Checks them.
     *
     * @throws IllegalArgumentException when one is wrong; names the property
     */
    static void check(Redlock redlock, BackendRoutes routes, Duration lease, Map<String, Named> locks) {
        locks.forEach((name, named) -> {
            if (named.backend() == Backend.LOCAL) {
                throw new IllegalArgumentException(
                        "distributed-lock.locks." + name
                                + ".backend is local, which is for tests and for all locks. Set distributed-lock.backend=local");
            }
        });
        List<RedlockNode> servers = redlock.servers();
        checkDistinct(servers);
        if (routes.inUse().contains(Backend.REDLOCK)) {
            checkNumber(servers.size());
            checkTimeout(redlock, lease, locks);
        } else if (!servers.isEmpty() && routes.usual() != Backend.LOCAL) {
            throw new IllegalArgumentException("distributed-lock.redlock.nodes is set, and no lock is kept there. Set"
                    + " distributed-lock.backend=redlock, or distributed-lock.locks.<name>.backend=redlock for the locks of"
                    + " a name, or remove the nodes");
        }
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

    private static void checkTimeout(Redlock redlock, Duration lease, Map<String, Named> locks) {
        if (redlock.nodeTimeout().compareTo(RedisSettings.MIN_COMMAND_TIMEOUT) < 0
                || redlock.nodeTimeout().compareTo(RedisSettings.MAX_COMMAND_TIMEOUT) > 0) {
            throw new IllegalArgumentException("distributed-lock.redlock.node-timeout is "
                    + redlock.nodeTimeout().toMillis() + "ms; it must be between "
                    + RedisSettings.MIN_COMMAND_TIMEOUT.toMillis() + "ms and "
                    + RedisSettings.MAX_COMMAND_TIMEOUT.toSeconds() + "s");
        }
        checkLease("distributed-lock.lease", lease, redlock);
        locks.forEach((name, named) -> {
            if (named.lease() != null && named.backend() != Backend.REDIS) {
                checkLease("distributed-lock.locks." + name + ".lease", named.lease(), redlock);
            }
        });
    }

    /**
     * Checks whether a lease leaves enough time when servers do not answer.
     *
     * @throws IllegalArgumentException when it does not
     */
    static void checkLease(String what, Duration lease, Redlock redlock) {
        if (redlock.nodeTimeout().multipliedBy(TIMEOUTS_IN_LEASE).compareTo(lease) > 0) {
            throw new IllegalArgumentException("distributed-lock.redlock.node-timeout is "
                    + redlock.nodeTimeout().toMillis() + "ms, above a quarter of " + what + " (" + lease.toMillis()
                    + "ms): little of the lease would be left after waiting for servers that are down. Lower the timeout, or"
                    + " raise the lease");
        }
    }
}

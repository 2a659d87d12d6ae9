package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.process.ServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Real servers for the locks, as processes of this machine. A new topology defines its servers, how a worker connects
 * through its own proxies, the promises, and how to find leftovers.
 */
public interface Topology extends AutoCloseable {

    /** Its name in plans and reports, such as {@code standalone}. */
    String name();

    /** Promises beyond those of every topology. A fault that {@linkplain Trait needs} more is not injected. */
    Set<Trait> traits();

    /** The servers with the locks' keys, at least one, always in the same order. */
    List<? extends ServerProcess> servers();

    /** The servers that accept writes; at least one. */
    default List<? extends ServerProcess> masters() {
        return servers();
    }

    /**
     * Creates the links of one worker: a proxy for each of the {@linkplain #servers servers} in order, and its address.
     */
    Link link();

    /**
     * Whether a piece of data from a worker, as ISO 8859-1, is a command whose answer reports the state of a lock; true
     * by default.
     */
    default boolean isCommand(String request) {
        return true;
    }

    /** The current leader of a topology with {@link Trait#LEADER}. */
    default ServerProcess leader() {
        throw new UnsupportedOperationException(name());
    }

    /**
     * Ends a session or a lease, as an operator might: its locks are free at once.
     *
     * @param lot chooses a session of a topology with {@link Trait#SESSIONS}
     */
    default void endSession(int lot) {
        throw new UnsupportedOperationException(name());
    }

    /**
     * Makes the server close connections.
     *
     * @param server of a topology with {@link Trait#TERMINATION}
     * @param ports client ports that the server sees
     */
    default void terminate(ServerProcess server, Set<Integer> ports) {
        throw new UnsupportedOperationException(name());
    }

    /**
     * Makes the server of a topology with {@link Trait#DEMOTION} refuse the writes of open connections, and accept
     * those of new ones, as if they reached its successor. Lasts; only the first one has an effect.
     */
    default void demote() {
        throw new UnsupportedOperationException(name());
    }

    /**
     * Leftovers of the workers on the servers: one line per key and connection.
     *
     * @param longestLease of any lock; remains of killed workers expire within this time
     */
    List<String> leftovers(Duration longestLease);

    /** Ends all servers and removes their files. Idempotent. */
    @Override
    void close();

    /** Promises and capabilities of a topology with the present lock client. */
    enum Trait {
        /** Its servers take the commands of Redis: {@link RedisTopology}. */
        REDIS,
        /** Keeps its data over a kill -9 of the server. */
        DURABLE,
        /** Excludes even if the server has lost the locks: the history guard. */
        HISTORY_GUARD,
        /** A lock whose holder's connection has ended is taken over before its lease is over. */
        TAKEOVER,
        /** Excludes also when a server's clock jumps ahead. */
        CLOCK_GUARD,
        /** Replicas are promoted if a master does not answer. */
        FAILOVER,
        /** Replicas are promoted by an operator only. */
        OPERATED,
        /** Others than its servers watch over it. */
        SENTINELS,
        /** Every link goes through a proxy. */
        PROXIED,
        /** No server replaces a failed one. */
        ALONE,
        /** Works while a minority of its servers is down. */
        QUORUM,
        /** Each server has a clock that can be set. */
        CLOCKS,
        /** Notices a connection that has ended at one side only, or does not care. */
        HALF_OPEN,
        /** Its servers elect a leader, and another one if that fails. */
        LEADER,
        /** Locks end with a session or a lease, which an operator can end. */
        SESSIONS,
        /** An operator can end single connections. */
        TERMINATION,
        /** A server can become read-only without ending its connections. */
        DEMOTION
    }

    /**
     * The links of one worker.
     *
     * @param address passed to the worker
     * @param proxies one per server; close them
     */
    record Link(Address address, List<TcpProxy> proxies) {

        public Link {
            proxies = List.copyOf(proxies);
        }
    }
}

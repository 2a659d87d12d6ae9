package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.process.ServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Real servers that keep the locks, as processes of this machine. The seam where the stores, and the ways to run one of
 * them, differ: a new one says which servers it has, how a worker reaches them through proxies of its own, what it
 * promises, and how to see what was left there.
 */
public interface Topology extends AutoCloseable {

    /**
     * Its name in plans and reports.
     *
     * @return such as {@code standalone}
     */
    String name();

    /**
     * What it promises beyond what every one does. A fault that {@linkplain Trait needs} more is not injected.
     *
     * @return the promises
     */
    Set<Trait> traits();

    /**
     * The servers that keep the locks' keys.
     *
     * @return at least one, always in the same order
     */
    List<? extends ServerProcess> servers();

    /**
     * Those of the servers that take writes.
     *
     * @return at least one
     */
    default List<? extends ServerProcess> masters() {
        return servers();
    }

    /**
     * Lays the links of one worker.
     *
     * @return proxies, one before each of the {@linkplain #servers servers} in their order, and how it is told of them
     */
    Link link();

    /**
     * Whether something that a worker sends in one piece is a command, whose answer tells what became of a lock.
     *
     * @param request as it is sent, as ISO 8859-1
     * @return true unless the protocol tells otherwise
     */
    default boolean isCommand(String request) {
        return true;
    }

    /**
     * The server that leads the others at the moment.
     *
     * @return one of the servers of a topology with {@link Trait#LEADER}
     */
    default ServerProcess leader() {
        throw new UnsupportedOperationException(name());
    }

    /**
     * Ends a session or a lease, as an operator may: the locks that it has are gone at once.
     *
     * @param lot draws one of those that a topology with {@link Trait#SESSIONS} has
     */
    default void endSession(int lot) {
        throw new UnsupportedOperationException(name());
    }

    /**
     * Has the server end connections.
     *
     * @param server one of those of a topology with {@link Trait#TERMINATION}
     * @param ports from which the server sees them come
     */
    default void terminate(ServerProcess server, Set<Integer> ports) {
        throw new UnsupportedOperationException(name());
    }

    /**
     * What the workers have left on the servers.
     *
     * @param longestLease of any lock; what the killed ones leave ends by itself within that time
     * @return a line for each key and connection; empty if there is none
     */
    List<String> leftovers(Duration longestLease);

    /** Ends all servers and removes their files. Idempotent. */
    @Override
    void close();

    /** What a topology, with the lock client as it is, promises or offers. */
    enum Trait {
        /** Its servers take the commands of Redis: {@link RedisTopology}. */
        REDIS,
        /** Keeps its data over a kill -9 of the server. */
        DURABLE,
        /** Excludes also when the server has forgotten the locks: the history guard. */
        HISTORY_GUARD,
        /** A lock whose holder's connection has ended is taken over before its lease is over. */
        TAKE_OVER,
        /** Excludes also when a server's clock jumps ahead. */
        CLOCK_GUARD,
        /** Has replicas that are promoted by somebody when a master does not answer. */
        FAILOVER,
        /** Others than its servers watch over it. */
        SENTINELS,
        /** Every link goes through a proxy. */
        PROXIED,
        /** Nobody replaces a server that is away. */
        ALONE,
        /** Goes on while a minority of its servers is down. */
        QUORUM,
        /** Each server has a clock that can be set. */
        CLOCKS,
        /** Notices a connection that has ended at one side only, or does not care. */
        HALF_OPEN,
        /** Its servers elect one that leads them, and another one when that is gone. */
        LEADER,
        /** Locks end with a session or a lease, which an operator can end. */
        SESSIONS,
        /** An operator can end single connections. */
        TERMINATION
    }

    /**
     * The links of one worker.
     *
     * @param address what the worker is told, where they are
     * @param proxies one for each server; close them
     */
    record Link(Address address, List<TcpProxy> proxies) {

        /**
         * A link.
         *
         * @param address what the worker is told
         * @param proxies one for each server
         */
        public Link {
            proxies = List.copyOf(proxies);
        }
    }
}

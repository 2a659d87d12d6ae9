package io.github.lockstarter.faults.topology;

import io.github.lockstarter.redis.testing.RedisServer;
import io.github.lockstarter.redis.testing.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Real servers that keep the locks, as processes of this machine. The seam where standalone, sentinel, cluster and
 * Redlock differ: a new one says which servers it has, how a worker reaches them through proxies of its own, and what
 * it promises.
 */
public interface Topology extends AutoCloseable {

    /**
     * For how long a deposed master may go on, where one can be: {@code distributed-lock.redis.deposed-master-writes}
     * of the workers. The nemesis keeps to it.
     */
    Duration DEPOSED_MASTER_WRITES = Duration.ofMillis(500);

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
    List<RedisServer> servers();

    /**
     * Those of the servers that take writes.
     *
     * @return at least one
     */
    default List<RedisServer> masters() {
        return servers();
    }

    /**
     * Lays the links of one worker.
     *
     * @return proxies, one before each of the {@linkplain #servers servers} in their order, and how it is told of them
     */
    Link link();

    /**
     * What can be done to its replicas.
     *
     * @return there for one with {@link Trait#FAILOVER}
     */
    default Optional<Failover> failover() {
        return Optional.empty();
    }

    /**
     * Sets the clock of a server.
     *
     * @param server one of those of a topology with {@link Trait#CLOCKS}
     * @param ahead of the right time; negative for behind
     */
    default void setClock(RedisServer server, Duration ahead) {
        throw new UnsupportedOperationException(name());
    }

    /** Ends all servers and removes their files. Idempotent. */
    @Override
    void close();

    /** What a topology, with the lock client as it is, promises or offers. */
    enum Trait {
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
        CLOCKS
    }

    /** What can be done to the servers of one with {@link Trait#FAILOVER}. */
    interface Failover {

        /**
         * A master that has replicas.
         *
         * @param lot draws one of several
         * @return one of the servers
         */
        RedisServer master(int lot);

        /**
         * The replicas of a master.
         *
         * @param master a master
         * @return at least one
         */
        List<RedisServer> replicasOf(RedisServer master);

        /**
         * Asks for a replica to be promoted while the master is well, also one that lags; returns at once.
         *
         * @param master a master
         */
        void promote(RedisServer master);

        /**
         * Makes a deposed master a replica of its successor.
         *
         * @param deposed runs
         */
        void demote(RedisServer deposed);

        /** Waits until everybody agrees who is what, and all replicas are in sync. */
        void settle();

        /**
         * Those who watch.
         *
         * @return empty if the servers do it themselves
         */
        default List<RedisServer> sentinels() {
            return List.of();
        }
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

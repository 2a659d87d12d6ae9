package io.github.lockstarter.faults.topology;

import io.github.lockstarter.testing.RedisServer;
import io.github.lockstarter.testing.TcpProxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Real servers that keep the locks, as processes of this machine. The seam where standalone, sentinel, cluster and Redlock
 * differ: a new one says which servers it has, how a worker reaches them through proxies of its own, and what it promises.
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
    List<RedisServer> servers();

    /**
     * Lays the links of one worker.
     *
     * @return proxies, one before each server that the worker talks to, and how it is told of them
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

    /** Ends all servers and removes their files. Idempotent. */
    @Override
    void close();

    /** What a topology, with the lock client as it is, promises or offers. */
    enum Trait {
        /** Keeps its data over a kill -9 of the server. */
        DURABLE,
        /** Excludes also when the server has forgotten the locks: the history guard. */
        HISTORY_GUARD,
        /** Excludes also when a server's clock jumps ahead. */
        CLOCK_GUARD,
        /** Has replicas that are promoted by somebody when a master does not answer. */
        FAILOVER,
        /** Every link goes through a proxy. */
        PROXIED
    }

    /** What can be done to the servers of one with {@link Trait#FAILOVER}. */
    interface Failover {

        /**
         * The master.
         *
         * @return one of the servers
         */
        RedisServer master();

        /** Has a replica promoted while the master is well; returns when it was. */
        void promote();

        /**
         * Waits until another server is the master.
         *
         * @param before who was
         */
        void awaitPromotion(RedisServer before);
    }

    /**
     * The links of one worker.
     *
     * @param address what the worker is told, such as {@code redis:127.0.0.1:12345}
     * @param proxies one for each server; close them
     */
    record Link(String address, List<TcpProxy> proxies) {

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

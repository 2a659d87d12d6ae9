package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Servers of Redis: a topology with {@link Topology.Trait#REDIS}. */
public interface RedisTopology extends Topology {

    /**
     * For how long a deposed master may go on, where one can be: {@code distributed-lock.redis.deposed-master-writes}
     * of the workers. The nemesis keeps to it.
     */
    Duration DEPOSED_MASTER_WRITES = Duration.ofMillis(500);

    @Override
    List<RedisServer> servers();

    @Override
    default List<RedisServer> masters() {
        return servers();
    }

    /** All that a lock client sends to change a lock is a script. */
    @Override
    default boolean isCommand(String request) {
        return request.toUpperCase(Locale.ROOT).contains("EVAL");
    }

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

    @Override
    default List<String> leftovers(Duration longestLease) {
        List<String> left = new ArrayList<>();
        masters().forEach(server -> left.addAll(RedisLeftovers.keys(server, longestLease)));
        servers().forEach(server -> left.addAll(RedisLeftovers.connections(server)));
        return left;
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
}

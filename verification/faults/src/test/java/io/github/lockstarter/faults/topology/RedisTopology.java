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
     * How long a deposed master may continue to write, if there can be one: {@code
     * distributed-lock.redis.deposed-master-writes} of the workers. The nemesis respects it.
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

    /** Operations on replicas; present with {@link Trait#FAILOVER}. */
    default Optional<Failover> failover() {
        return Optional.empty();
    }

    /** Operations on the roles; present with {@link Trait#OPERATED}. */
    default Optional<Operator> operator() {
        return Optional.empty();
    }

    /**
     * Sets the clock of a server of a topology with {@link Trait#CLOCKS}.
     *
     * @param ahead offset from the correct time; may be negative
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

    /** Operations on the servers of a topology with {@link Trait#FAILOVER}. */
    interface Failover {

        /**
         * A master with replicas.
         *
         * @param lot chooses one of several
         */
        RedisServer master(int lot);

        /** The replicas of a master; at least one. */
        List<RedisServer> replicasOf(RedisServer master);

        /** Requests the promotion of a replica while the master runs, even of a replica that lags; does not wait. */
        void promote(RedisServer master);

        /** Makes a deposed, running master a replica of its successor. */
        void demote(RedisServer deposed);

        /** Waits until all servers agree on the roles and all replicas are in sync. */
        void settle();

        /** The sentinels; empty if the servers promote replicas on their own. */
        default List<RedisServer> sentinels() {
            return List.of();
        }
    }
}

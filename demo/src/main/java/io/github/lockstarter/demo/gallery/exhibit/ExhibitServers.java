package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;

/** The servers of one side of an exhibit, and their faults. Used by one thread. */
interface ExhibitServers extends AutoCloseable {

    /** Place of the caller that acquires first. */
    int FIRST = 0;

    /** Current ports for a broken lock, by the place of the caller. */
    List<Integer> ports(int place);

    /** Properties of the starter, by the place of the caller. */
    List<String> properties(int place);

    /** Stops replication from the master. */
    default void stopReplication() {
        throw new UnsupportedOperationException("There are no replicas");
    }

    /** Kills the master and waits until a replica is promoted. Returns a description. */
    default String failOver() {
        throw new UnsupportedOperationException("There are no replicas");
    }

    /** Makes one of several servers lose a key. Returns a description. */
    default String forget() {
        throw new UnsupportedOperationException("There is one server");
    }

    @Override
    void close();

    /** One server, which is closed elsewhere. */
    record Standalone(RedisServer server) implements ExhibitServers {

        @Override
        public List<Integer> ports(int place) {
            return List.of(server.port());
        }

        @Override
        public List<String> properties(int place) {
            return List.of("spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port());
        }

        @Override
        public void close() {}
    }
}

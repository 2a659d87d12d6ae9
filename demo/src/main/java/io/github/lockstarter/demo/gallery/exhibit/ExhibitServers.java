package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.kit.redis.RedisServer;
import java.util.List;

/** The servers of the locks of one side of an exhibit, and what can be done to them. For one thread. */
interface ExhibitServers extends AutoCloseable {

    /** Place of the caller that takes the lock first. */
    int FIRST = 0;

    /** Where a broken lock finds them, just now; for the caller in that place of the interleaving. */
    List<Integer> ports(int place);

    /** Settings with which the starter finds them; for the caller in that place of the interleaving. */
    List<String> properties(int place);

    /** Cuts replicas off: what the master writes from now on, they do not get. */
    default void cutReplicasOff() {
        throw new UnsupportedOperationException("There are no replicas");
    }

    /** Kills the master, and waits until a replica is promoted. Gives what was done, in words. */
    default String failOver() {
        throw new UnsupportedOperationException("There are no replicas");
    }

    /** Has one server of several forget a key. Gives what was done, in words. */
    default String forget() {
        throw new UnsupportedOperationException("There is one server");
    }

    @Override
    void close();

    /** One server, which others end. */
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

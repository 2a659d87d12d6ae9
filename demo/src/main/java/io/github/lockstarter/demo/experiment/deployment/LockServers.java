package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.List;

/** Servers of a variant's locks. */
public interface LockServers {

    Duration OUTAGE = Duration.ofMillis(300);

    /** Properties with which an instance connects, such as {@code spring.data.redis.port=6379}. */
    List<String> properties();

    /**
     * Kills and restarts as many servers as the locks should survive.
     *
     * @param key of the affected lock
     */
    String restart(String key);

    /** Kills and restarts servers at the same time. */
    static void killAndStart(List<RedisServer> servers) {
        servers.forEach(ServerProcess::kill);
        Sleep.lasting(OUTAGE);
        servers.forEach(ServerProcess::launch);
        servers.forEach(ServerProcess::awaitReady);
    }

    /**
     * Checks that a replica can take over.
     *
     * @throws UnsupportedOperationException with an explanation, if there are no replicas
     */
    void requireReplicas();

    /**
     * Repeatedly kills the master of a lock, and restarts it as a replica after a failover.
     *
     * @param key of the affected lock
     * @param times at least 1
     * @throws UnsupportedOperationException with an explanation, if there are no replicas
     */
    default String failOver(String key, int times) {
        requireReplicas();
        throw new IllegalStateException("These servers do not fail over");
    }

    /**
     * Moves the clock of one server ahead, as an operator or a wrong time server might.
     *
     * @throws UnsupportedOperationException with an explanation, if not possible
     */
    default String moveClock(Duration ahead) {
        throw new UnsupportedOperationException(
                "The experiment moves the clock of one of the five servers of Redlock only. Run v4");
    }

    /**
     * Deletes the key of a lock, as an operator might with {@code redis-cli}.
     *
     * @param key without the prefix of the instances
     */
    void delete(String key);
}

package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.process.Sleep;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.List;

/** The servers that keep the locks of a variant. */
public interface LockServers {

    /** How long killed servers are away before they are started again. */
    Duration OUTAGE = Duration.ofMillis(300);

    /** How an instance finds them: properties, such as {@code spring.data.redis.port=6379}. */
    List<String> properties();

    /**
     * Kills and starts again as many servers as the locks should survive.
     *
     * @param key the lock that is to be hit
     * @return what was done, in words
     */
    String restart(String key);

    /** Kills servers (SIGKILL), and starts all of them again before it waits for the first one. */
    static void killAndStart(List<RedisServer> servers) {
        servers.forEach(ServerProcess::kill);
        Sleep.lasting(OUTAGE);
        servers.forEach(ServerProcess::launch);
        servers.forEach(ServerProcess::awaitReady);
    }

    /**
     * Checks that another server can take over.
     *
     * @throws UnsupportedOperationException when none can; the message says so
     */
    void requireReplicas();

    /**
     * Kills the server that has a lock, and starts it again as a replica once another one has taken over; then that
     * one, and so on.
     *
     * @param key the lock that is to be hit
     * @param times how often, from 1
     * @return what was done, in words
     * @throws UnsupportedOperationException when none can take over; the message says so
     */
    default String failOver(String key, int times) {
        requireReplicas();
        throw new IllegalStateException("These servers do not fail over");
    }

    /**
     * Moves the clock of one of the servers, as an operator or a wrong time server may.
     *
     * @param ahead how far
     * @return what was done, in words
     * @throws UnsupportedOperationException when that cannot be done; the message says so
     */
    default String moveClock(Duration ahead) {
        throw new UnsupportedOperationException(
                "The experiment moves the clock of one of the five servers of Redlock only. Run v4");
    }

    /**
     * Deletes the key of a lock, as an operator with {@code redis-cli} may.
     *
     * @param key the lock's key, without the prefix that the instances put before it
     */
    void delete(String key);
}

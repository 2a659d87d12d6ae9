package io.github.lockstarter.demo.experiment.stage;

import java.time.Duration;
import java.util.List;

/** The servers that keep the locks of a variant. They belong to a stage, which ends them. */
interface LockServers {

    /**
     * How an instance finds them.
     *
     * @return properties, such as {@code spring.data.redis.port=6379}
     */
    List<String> properties();

    /**
     * Kills and starts again as many servers as the locks should survive.
     *
     * @param key the lock that is to be hit
     * @return what was done, in words
     */
    String restart(String key);

    /**
     * Says whether another server can take over.
     *
     * @throws UnsupportedOperationException when none can; the message says so
     */
    void requireReplicas();

    /**
     * Kills the server that has a lock, for good until another one has taken over; then that one, and so on. All come
     * back.
     *
     * @param key the lock that is to be hit
     * @param times how often, from 1
     * @return what was done, in words
     * @throws UnsupportedOperationException when none can take over; the message says so
     */
    String failOver(String key, int times);

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

package io.github.lockstarter.redis.testing;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Map;

/**
 * A real Redis for one test or one test class: the binary that {@code -Dlock.test.redis-server} names, else a
 * container where Docker answers, else the binary of {@code embedded-redis}. Keeps its port over every restart. Without
 * persistence arguments a restart loses the data.
 *
 * <p>Tests do as they like with the {@code default} user; the fixture itself logs in as another one.
 */
public interface RedisServer extends AutoCloseable {

    /**
     * Starts a server and waits until it answers.
     *
     * @param arguments further arguments of {@code redis-server}, such as {@code --appendonly yes --appendfsync always}
     * @return the running server; close it
     */
    static RedisServer start(String... arguments) {
        return !RedisBinary.isNamed() && DockerPresence.isAvailable()
                ? ContainerRedisServer.start(arguments)
                : EmbeddedRedisServer.start(arguments);
    }

    /**
     * Where it listens.
     *
     * @return host name or address
     */
    String host();

    /**
     * Where it listens.
     *
     * @return the same port for the whole life of this object
     */
    int port();

    /**
     * The server's own log.
     *
     * @return all of it
     */
    String log();

    /** Stops the process in its tracks (SIGSTOP): connections stay open and nothing is answered. */
    void pause();

    /** Lets a paused process go on (SIGCONT). */
    void resume();

    /** Ends the process at once (SIGKILL). */
    void kill();

    /** Ends the process in an orderly way (SIGTERM). */
    void stop();

    /** Starts a stopped or killed process again, with the same port and arguments; ends a running one first. */
    void restart();

    /**
     * Raw access as the fixture's own user. Commands time out after 5 s.
     *
     * @return a synchronous connection
     */
    RedisCommands<String, String> commands();

    /**
     * Raw access as a user of its own choice.
     *
     * @return a URI with the default user and no password
     */
    default RedisURI uri() {
        return RedisURI.create(host(), port());
    }

    /** Ends the server and removes its files. Idempotent. */
    @Override
    void close();

    /** Brings a server that a test left paused, dead, locked or full back to that of a new one. */
    default void reset() {
        resume();
        if (!answers() || !info("replication").get("master_replid2").matches("0+")) {
            restart(); // one that was promoted is no new server to anybody
        }
        grantDefaultUser("reset", "on", "nopass", "~*", "&*", "+@all");
        commands().flushall();
        commands().scriptFlush();
    }

    /**
     * Whether it answers a {@code PING} at once.
     *
     * @return false if it is down or paused
     */
    default boolean answers() {
        return RedisPing.answers(host(), port());
    }

    /**
     * Asks new connections of the default user for a password.
     *
     * @param password the password
     */
    default void requirePassword(String password) {
        commands().configSet("requirepass", password);
    }

    /**
     * Changes the rights of the default user, on open connections too.
     *
     * @param rules as {@code ACL SETUSER default} takes them
     */
    default void grantDefaultUser(String... rules) {
        RawCommands.aclSetUser(commands(), "default", rules);
    }

    /**
     * One section of {@code INFO}. Asked again when the connection ends meanwhile: sentinels end all connections of a
     * server that they promote or demote.
     *
     * @param section such as {@code stats}
     * @return its fields
     */
    default Map<String, String> info(String section) {
        try {
            return RawCommands.parseInfo(commands().info(section));
        } catch (RedisException e) {
            return RawCommands.parseInfo(commands().info(section));
        }
    }

    /**
     * How many network reads the server does for an action, those of this measurement excluded. Nobody else may use the
     * server meanwhile.
     *
     * @param action what to measure
     * @return {@code total_reads_processed} that it costs
     */
    default long readsDuring(Runnable action) {
        long before = Long.parseLong(info("stats").get("total_reads_processed"));
        action.run();
        long after = Long.parseLong(info("stats").get("total_reads_processed"));
        long closingInfo = 1;
        return after - before - closingInfo;
    }
}

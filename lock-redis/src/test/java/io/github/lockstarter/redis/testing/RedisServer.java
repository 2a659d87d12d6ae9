package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.ServerProcess;
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
public interface RedisServer extends ServerProcess {

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
     * The server's own log.
     *
     * @return all of it
     */
    String log();

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
    @Override
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

package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.experiment.stage.Belongings;
import io.github.lockstarter.demo.experiment.stage.RedisConsole;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.github.lockstarter.sample.redis.RedisSetup;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.Function;

/** The servers of the locks of one side of an exhibit, and what can be done to them. For one thread. */
abstract class ExhibitServers implements AutoCloseable {

    /** Places of the part that takes the lock first, and of all others. */
    static final int FIRST = 0;

    /** Each takes up to a second, unless the connection is refused. */
    private static final int ATTEMPTS = 10;

    private final Belongings belongings = new Belongings();
    private final RedisConsole console;

    /**
     * None yet.
     *
     * @param owner ends them, too, also those of a subclass whose constructor has failed
     */
    ExhibitServers(RedisConsole console, Belongings owner) {
        this.console = console;
        owner.add(belongings);
    }

    /**
     * Where a broken lock finds them, just now.
     *
     * @param part place of the part in the script
     */
    abstract List<Integer> ports(int part);

    /**
     * Where the starter finds them.
     *
     * @param part place of the part in the script
     */
    abstract List<String> properties(int part);

    /** Cuts replicas off: what the master writes from now on, they do not get. */
    void cutReplicasOff() {
        throw unsupported();
    }

    /** Kills the master, and waits until a replica is promoted. Gives what was done, in words. */
    String failOver() {
        throw unsupported();
    }

    /** Has one server of several forget a key. Gives what was done, in words. */
    String forget(String key) {
        throw unsupported();
    }

    /** Whether another round can be played here. */
    boolean isReusable() {
        return true;
    }

    /** Ends them. */
    @Override
    public void close() {
        belongings.close();
    }

    final EmbeddedRedis start(RedisSetup setup) {
        return EmbeddedRedis.start(setup, belongings::add);
    }

    final <T> T askOnce(int port, Function<RedisCommands<String, String>, T> question) {
        return console.ask(port, question);
    }

    /** Asks a server what may be asked again: until it answers. */
    final <T> T ask(int port, Function<RedisCommands<String, String>, T> question) {
        return ask(console, port, question);
    }

    static <T> T ask(RedisConsole console, int port, Function<RedisCommands<String, String>, T> question) {
        for (int attempt = 1; ; attempt++) {
            try {
                return console.ask(port, question);
            } catch (RedisException noAnswer) {
                if (attempt == ATTEMPTS) {
                    throw noAnswer;
                }
            }
        }
    }

    static List<String> at(int port) {
        return List.of("spring.data.redis.host=" + Loopback.HOST, "spring.data.redis.port=" + port);
    }

    private UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("Not with " + getClass().getSimpleName());
    }

    /** One server. */
    static final class Standalone extends ExhibitServers {

        private final EmbeddedRedis server = start(RedisSetup.inMemory());

        Standalone(RedisConsole console, Belongings owner) {
            super(console, owner);
        }

        @Override
        List<Integer> ports(int part) {
            return List.of(server.port());
        }

        @Override
        List<String> properties(int part) {
            return at(server.port());
        }
    }
}

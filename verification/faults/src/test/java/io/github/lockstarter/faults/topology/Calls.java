package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Commands of the lab to servers that have a hard time: who demotes a master also kills the lab's connection to it. */
public final class Calls {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private Calls() {}

    /** Executes a command, and repeats it after a failure; it must be idempotent. */
    public static <T> T to(RedisServer server, Function<RedisCommands<String, String>, T> command) {
        long start = System.nanoTime();
        while (true) {
            try {
                return command.apply(server.commands());
            } catch (RedisException e) {
                if (System.nanoTime() - start > Patience.TIME.toNanos()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }
}

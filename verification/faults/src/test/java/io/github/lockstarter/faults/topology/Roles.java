package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The roles that servers report. */
final class Roles {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private Roles() {}

    static boolean isMaster(RedisServer server) {
        return server.answers()
                && "master".equals(Calls.to(server, commands -> commands.role().get(0)));
    }

    /** Whether it is a replica that is connected to its master. */
    static boolean isInSync(RedisServer server) {
        return "up".equals(server.info("replication").get("master_link_status"));
    }

    /** Waits for a condition that other processes bring about. */
    static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!isTrue(condition)) {
            if (System.nanoTime() - start > Patience.TIME.toNanos()) {
                throw new IllegalStateException("Not within " + Patience.TIME + ": " + what);
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    /** A server that does not answer is not ready. */
    private static boolean isTrue(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (RedisException e) {
            return false;
        }
    }
}

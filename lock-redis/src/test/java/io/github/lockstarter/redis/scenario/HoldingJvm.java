package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM that acquires a lock or several permits of it, waiting if need be, and holds them until it is killed. Prints
 * {@code slot number fencingToken} for each, and {@code held} once it has all.
 */
final class HoldingJvm {

    private HoldingJvm() {}

    /** Starts one that holds a lock. */
    static ChildJvm start(RedisServer server, String key, Duration lease, Duration takeover) {
        return start(server, key, lease, takeover, 1, 1);
    }

    /** Starts one that holds so many permits. */
    static ChildJvm start(
            RedisServer server, String key, Duration lease, Duration takeover, int permits, int acquired) {
        return start(server, key, lease, takeover, permits, acquired, LockMode.WRITE);
    }

    /** Starts one that reads. */
    static ChildJvm startReading(RedisServer server, String key, Duration lease, Duration takeover) {
        return start(server, key, lease, takeover, 1, 1, LockMode.READ);
    }

    private static ChildJvm start(
            RedisServer server,
            String key,
            Duration lease,
            Duration takeover,
            int permits,
            int acquired,
            LockMode mode) {
        return ChildJvm.start(
                HoldingJvm.class,
                Integer.toString(server.port()),
                key,
                Long.toString(lease.toMillis()),
                Long.toString(takeover.toMillis()),
                Integer.toString(permits),
                Integer.toString(acquired),
                mode.name());
    }

    /** The fencing token of a slot, once it has all; empty for a slot that it does not hold. */
    static OptionalLong fencingToken(ChildJvm jvm, int slot) {
        String start = "slot " + slot + " ";
        return jvm.lines().stream()
                .filter(line -> line.startsWith(start))
                .mapToLong(line -> Long.parseLong(line.substring(start.length())))
                .findFirst();
    }

    /**
     * Runs.
     *
     * @param arguments port, key, lease in ms, takeover time in ms, permits of the lock, how many to acquire, and mode
     */
    public static void main(String[] arguments) {
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
        Duration takeover = Duration.ofMillis(Long.parseLong(arguments[3]));
        LockTemplate locks =
                ChildClient.locks(arguments[0], Application.settings(lease).withCrashTakeover(takeover));
        LockRequest permit = LockRequest.of(arguments[1])
                .permits(Integer.parseInt(arguments[4]))
                .mode(LockMode.valueOf(arguments[6]))
                .ownedByHandle();
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[5]); i++) {
            held.add(locks.acquire(permit));
            System.out.println("slot " + held.get(i).slot() + " " + held.get(i).fencingToken());
        }
        System.out.println("held");
        while (true) {
            LockSupport.park(held);
        }
    }
}

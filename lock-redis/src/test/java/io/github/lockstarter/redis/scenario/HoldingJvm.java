package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A JVM that acquires a lock, waiting for it if need be, says so, and holds it until it is killed. */
final class HoldingJvm {

    private HoldingJvm() {}

    /**
     * Runs.
     *
     * @param arguments port, key, lease in ms
     */
    public static void main(String[] arguments) {
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
        LockHandle held = ChildClient.locks(arguments[0], lease).acquire(arguments[1]);
        System.out.println("held " + held.fencingToken());
        while (true) {
            LockSupport.park();
        }
    }
}

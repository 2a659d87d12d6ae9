package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A JVM that acquires a lock, waiting for it if need be, says so, and holds it until it is killed. */
final class HoldingJvm {

    private HoldingJvm() {}

    /**
     * Runs.
     *
     * @param arguments port, key, lease in ms, and perhaps the take-over time in ms
     */
    public static void main(String[] arguments) {
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
        EngineSettings settings = Application.settings(lease);
        if (arguments.length > 3) {
            settings = settings.withCrashTakeOver(Duration.ofMillis(Long.parseLong(arguments[3])));
        }
        LockHandle held = ChildClient.locks(arguments[0], settings).acquire(arguments[1]);
        System.out.println("held " + held.fencingToken());
        while (true) {
            LockSupport.park();
        }
    }
}

package io.github.lockstarter.jdbc.scenario;

import io.github.lockstarter.LockHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A JVM that acquires a lock, says so, and holds it until it ends: database, key, lease in ms. */
final class HoldingJvm {

    private HoldingJvm() {}

    public static void main(String[] arguments) {
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[4]));
        LockHandle held = ChildClient.of(arguments, lease).application().locks().acquire(arguments[3]);
        System.out.println("held " + held.fencingToken());
        while (true) {
            LockSupport.park();
        }
    }
}

package io.github.lockstarter.etcd;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A JVM that acquires a lock, says so, and holds it until it is killed. */
final class HoldingJvm {

    private HoldingJvm() {}

    /**
     * Runs.
     *
     * @param arguments endpoint, key, lease in ms
     */
    public static void main(String[] arguments) {
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
        Application application = Application.over(new EtcdStore(arguments[0]).connect(), Application.settings(lease));
        LockHandle held = application.locks().acquire(arguments[1]);
        System.out.println("held " + held.fencingToken());
        while (true) {
            LockSupport.park();
        }
    }
}

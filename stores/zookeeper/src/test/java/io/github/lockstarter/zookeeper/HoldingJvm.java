package io.github.lockstarter.zookeeper;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Holds a lock until it is killed. */
final class HoldingJvm {

    static final String KEY = "held-by-a-process";

    private HoldingJvm() {}

    public static void main(String[] arguments) throws Exception {
        ZooKeeperLockBackend backend = ZooKeeperClients.backend(arguments[0], Duration.parse(arguments[1]));
        LockHandle held = Application.over(backend).locks().acquire(KEY);
        System.out.println("held " + held.fencingToken());
        new CountDownLatch(1).await();
    }
}

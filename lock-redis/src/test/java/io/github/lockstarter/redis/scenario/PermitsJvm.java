package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.contract.Application;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A JVM that acquires several permits of one lock, says which, and holds them until it is killed. */
final class PermitsJvm {

    private PermitsJvm() {}

    /**
     * Runs.
     *
     * @param arguments port, key, lease in ms, permits of the lock, and how many of them to acquire
     */
    public static void main(String[] arguments) {
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
        LockTemplate locks = ChildClient.locks(arguments[0], Application.settings(lease));
        LockRequest permit = LockRequest.of(arguments[1])
                .permits(Integer.parseInt(arguments[3]))
                .ownedByHandle();
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[4]); i++) {
            held.add(locks.acquire(permit));
            System.out.println("slot " + held.get(i).slot() + " " + held.get(i).fencingToken());
        }
        System.out.println("held " + held.size());
        while (true) {
            LockSupport.park(held);
        }
    }
}

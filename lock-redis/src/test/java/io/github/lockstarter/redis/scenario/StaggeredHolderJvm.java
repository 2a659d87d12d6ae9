package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM that holds many locks until it is killed. It acquires them one after the other over a third of the lease, so
 * that their renewals are spread evenly. Prints {@code holding} once it has all, and {@code lost <key>} for each that
 * it loses.
 */
final class StaggeredHolderJvm {

    private StaggeredHolderJvm() {}

    /**
     * Runs.
     *
     * @param arguments host, port, first part of the keys, number of keys, lease in ms, take-over time in ms
     */
    public static void main(String[] arguments) {
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[4]));
        LockTemplate locks = locks(
                RedisURI.create(arguments[0], Integer.parseInt(arguments[1])),
                lease,
                Duration.ofMillis(Long.parseLong(arguments[5])));
        WarmUp.connect(locks, "warm-up");
        int count = Integer.parseInt(arguments[3]);
        for (int i = 0; i < count; i++) {
            String key = arguments[2] + i;
            LockHandle held = locks.acquire(LockRequest.of(key).leasedFor(lease));
            held.onLost(() -> System.out.println("lost " + key));
            LockSupport.parkNanos(lease.toNanos() / 3 / count);
        }
        System.out.println("holding");
        while (true) {
            LockSupport.park();
        }
    }

    /** With the command timeout of an application that configures none. */
    private static LockTemplate locks(RedisURI uri, Duration lease, Duration takeOver) {
        RedisSettings settings = new RedisSettings("lock:", Duration.ofSeconds(2), RedisSettings.Guard.of(lease));
        LockEngine engine = new LockEngine(
                new RedisStore(uri).with(settings).connect(),
                Application.settings(lease).withCrashTakeOver(takeOver),
                List.of(),
                EngineClock.SYSTEM);
        return new LockTemplate(engine, OnLost.THROW);
    }
}

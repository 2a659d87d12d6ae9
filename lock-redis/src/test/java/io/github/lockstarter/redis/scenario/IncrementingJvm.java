package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.Crowd;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * A JVM whose threads read a value from Redis, add one and write it back: under the lock, or for control without.
 * Prints a line for each time: {@code section from to fencingToken}.
 */
final class IncrementingJvm {

    static final String LOCKED = "locked";
    static final String UNLOCKED = "unlocked";

    private IncrementingJvm() {}

    /**
     * Runs.
     *
     * @param arguments port, key of the lock and of the value, {@code locked} or {@code unlocked}, threads, increments
     *     of each
     */
    public static void main(String[] arguments) {
        String key = arguments[1];
        boolean locked = arguments[2].equals(LOCKED);
        LockTemplate locks = ChildClient.locks(arguments[0], Duration.ofSeconds(60));
        LockRequest request = LockRequest.of(key).waitingUpTo(Patience.TIME);
        RedisCommands<String, String> store = RedisClient.create(
                        RedisURI.create("127.0.0.1", Integer.parseInt(arguments[0])))
                .connect()
                .sync();
        Crowd.of(Integer.parseInt(arguments[3])).eachRuns(Integer.parseInt(arguments[4]), () -> {
            if (locked) {
                try (LockHandle lock = locks.acquire(request)) {
                    increment(store, key, lock.fencingToken());
                }
            } else {
                increment(store, key, 0);
            }
        });
        System.out.println("done");
        System.exit(0);
    }

    private static void increment(RedisCommands<String, String> store, String key, long fencingToken) {
        long from = System.nanoTime();
        String value = store.get(key);
        store.set(key, Integer.toString(value == null ? 1 : Integer.parseInt(value) + 1));
        System.out.println("section " + from + " " + System.nanoTime() + " " + fencingToken);
    }
}

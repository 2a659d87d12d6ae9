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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM whose threads acquire permits, each time with the limit that its parent has set last, until there is none any
 * more. Prints a line for each time: {@code section round limit slot from to fencingToken}.
 */
final class LimitedJvm {

    private LimitedJvm() {}

    /** Where the parent sets the round and the limit of a JVM. */
    static String settingOf(String key, int jvm) {
        return key + ":setting:" + jvm;
    }

    /**
     * Runs.
     *
     * @param arguments port, key, number of this JVM, and how many threads
     */
    public static void main(String[] arguments) {
        LockTemplate locks = ChildClient.locks(arguments[0], Duration.ofSeconds(60));
        String setting = settingOf(arguments[1], Integer.parseInt(arguments[2]));
        LockRequest permit = LockRequest.of(arguments[1]).ownedByHandle().maxWait(Patience.TIME);
        RedisCommands<String, String> settings = RedisClient.create(
                        RedisURI.create("127.0.0.1", Integer.parseInt(arguments[0])))
                .connect()
                .sync();
        System.out.println("ready");
        while (settings.get(setting) == null) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        Crowd.of(Integer.parseInt(arguments[3])).eachRuns(1, () -> {
            for (String asked = settings.get(setting); asked != null; asked = settings.get(setting)) {
                int limit = Integer.parseInt(asked.substring(asked.indexOf(' ') + 1));
                try (LockHandle held = locks.acquire(permit.permits(limit))) {
                    long from = System.nanoTime();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2)); // the work
                    System.out.println("section " + asked + " " + held.slot() + " " + from + " " + System.nanoTime()
                            + " " + held.fencingToken());
                }
            }
        });
        System.out.println("done");
        System.exit(0);
    }
}

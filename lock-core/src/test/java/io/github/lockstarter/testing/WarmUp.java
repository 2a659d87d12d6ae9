package io.github.lockstarter.testing;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;

/**
 * Opens the connections of a lock client before a test needs them: the first connection of a JVM takes longer than a
 * short command timeout where many JVMs start at once.
 */
public final class WarmUp {

    private WarmUp() {}

    /**
     * Acquires and releases a lock, and repeats that while the backend does not answer in time.
     *
     * @param locks of the client
     * @param key of a lock that no test uses
     */
    public static void connect(LockOperations locks, String key) {
        await().atMost(Patience.TIME).pollDelay(Duration.ZERO).until(() -> isGranted(locks, key));
    }

    private static boolean isGranted(LockOperations locks, String key) {
        try {
            locks.acquire(key).close();
            return true;
        } catch (LockBackendException e) {
            return false;
        }
    }
}

package io.github.lockstarter.zookeeper;

import io.github.lockstarter.DurationText;
import java.time.Duration;

/**
 * Settings of a {@link ZooKeeperLockBackend}.
 *
 * @param root path of all locks, such as {@code /lock-starter/locks}
 * @param keyPrefix prefix of each key, so that applications with the same root do not share locks
 * @param commandTimeout time for the answer to a command; at least 1 ms
 * @param sessionTimeout session timeout that the client requests; at least 1 ms
 */
public record ZooKeeperLockSettings(String root, String keyPrefix, Duration commandTimeout, Duration sessionTimeout) {

    /**
     * Checks the settings.
     *
     * @param root path
     * @param keyPrefix prefix
     * @param commandTimeout command timeout
     * @param sessionTimeout session timeout
     * @throws IllegalArgumentException when the root is not an absolute path of ZooKeeper, or a timeout is too short
     */
    public ZooKeeperLockSettings {
        if (!root.startsWith("/") || root.endsWith("/") || root.contains("//") || root.contains("/.")) {
            throw new IllegalArgumentException(
                    "'" + root + "' is no path for locks: it begins with a slash, has none at"
                            + " its end, and no empty, '.' or '..' parts, such as /lock-starter/locks");
        }
        if (commandTimeout.toMillis() < 1 || sessionTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("The command time-out (" + DurationText.exactly(commandTimeout)
                    + ") and the session time-out (" + DurationText.exactly(sessionTimeout) + ") are at least 1ms");
        }
    }

    /** Longest wait for an answer of the client. Without one for the session timeout, the servers end the session. */
    Duration answerLimit() {
        return sessionTimeout.compareTo(commandTimeout) > 0 ? sessionTimeout : commandTimeout;
    }
}

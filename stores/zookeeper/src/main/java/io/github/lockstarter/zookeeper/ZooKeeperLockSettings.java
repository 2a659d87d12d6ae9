package io.github.lockstarter.zookeeper;

import io.github.lockstarter.DurationText;
import java.time.Duration;

/**
 * What a {@link ZooKeeperLockBackend} is made with.
 *
 * @param root the path below which all locks are, such as {@code /lock-starter/locks}
 * @param keyPrefix what each key begins with, so that applications that share a root do not share locks
 * @param commandTimeout how long the answer to a command may take; above zero
 * @param sessionTimeout the session time-out that the client asks the servers for; at least 1 ms
 */
public record ZooKeeperLockSettings(String root, String keyPrefix, Duration commandTimeout, Duration sessionTimeout) {

    /**
     * Checks what is given.
     *
     * @param root the path below which all locks are
     * @param keyPrefix what each key begins with
     * @param commandTimeout how long the answer to a command may take
     * @param sessionTimeout the session time-out that the client asks for
     * @throws IllegalArgumentException when the path is no absolute path of ZooKeeper, or a duration is not positive
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

    /**
     * How long one answer of the client is waited for: the session time-out, after which the servers have ended a
     * session of which they heard nothing, or the command time-out if that is longer.
     */
    Duration answerLimit() {
        return sessionTimeout.compareTo(commandTimeout) > 0 ? sessionTimeout : commandTimeout;
    }
}

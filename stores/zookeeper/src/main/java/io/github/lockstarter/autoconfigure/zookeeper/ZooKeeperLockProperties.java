package io.github.lockstarter.autoconfigure.zookeeper;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.zookeeper.ZooKeeperLockSettings;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of locks in ZooKeeper.
 *
 * @param connectString Servers of one ensemble, such as zoo1:2181,zoo2:2181,zoo3:2181, optionally with a chroot after
 *     the last one. Not used if the application declares one CuratorFramework.
 * @param sessionTimeout How long the servers keep the locks of a silent instance: 1s to 10m. A lock is in doubt after
 *     half of it. Not used if the application declares one CuratorFramework.
 * @param connectionTimeout How long startup waits for a connection: 100ms to 60s.
 * @param commandTimeout Time limit for the answer to one lock command: 100ms to 60s.
 * @param root Path of all locks.
 * @param requiredAtStart Whether the application fails to start when ZooKeeper does not answer. If false, locked
 *     methods fail until it does.
 */
@ConfigurationProperties(prefix = ZooKeeperLockProperties.PREFIX, ignoreUnknownFields = false)
record ZooKeeperLockProperties(
        @DefaultValue("localhost:2181") String connectString,
        @DefaultValue("10s") Duration sessionTimeout,
        @DefaultValue("5s") Duration connectionTimeout,
        @DefaultValue("2s") Duration commandTimeout,
        @DefaultValue("/lock-starter/locks") String root,
        @DefaultValue("true") boolean requiredAtStart)
        implements LockBackendOption {

    static final String NAME = "zookeeper";
    static final String PREFIX = "distributed-lock." + NAME;
    static final String CONNECT_STRING = PREFIX + ".connect-string";

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(60);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        settings(locks);
    }

    @Override
    public void checkTerms(LockTerms terms, String key) {
        LockBackendOption.refusePermits("ZooKeeper", terms, key);
        terms.minHold().filter(time -> !time.isZero()).ifPresent(time -> {
            throw new IllegalArgumentException("Lock '" + key + "' has a minimum hold of " + DurationText.exactly(time)
                    + ", and ZooKeeper keeps no lock for a minimum hold. Leave minHoldMs out, or keep the lock in"
                    + " another store: distributed-lock.further-backends");
        });
    }

    /** @throws IllegalArgumentException names the wrong property */
    ZooKeeperLockSettings settings(LockSettings locks) {
        if (connectString.isBlank()) {
            throw new IllegalArgumentException(CONNECT_STRING + " is empty; name the servers of the ensemble, such as"
                    + " zoo1:2181,zoo2:2181,zoo3:2181");
        }
        DurationText.check(PREFIX + ".session-timeout", sessionTimeout, Duration.ofSeconds(1), Duration.ofMinutes(10));
        DurationText.check(PREFIX + ".connection-timeout", connectionTimeout, SHORTEST, LONGEST);
        DurationText.check(PREFIX + ".command-timeout", commandTimeout, SHORTEST, LONGEST);
        try {
            return new ZooKeeperLockSettings(root, locks.keyPrefix(), commandTimeout, sessionTimeout);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(PREFIX + ".root: " + e.getMessage(), e);
        }
    }
}

package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockTerms;
import org.springframework.util.StringUtils;

/**
 * A value of {@code distributed-lock.backend} and the rules of its store. The store's auto-configuration declares it
 * even if another store is selected; all its other beans need {@link ConditionalOnLockBackend}.
 */
public interface LockBackendOption {

    /** The store of this JVM, for tests. */
    String LOCAL = "local";

    /** {@return the value: lower-case letters and digits} */
    String name();

    /**
     * Validates the store's configuration at each start.
     *
     * @param locks settings of all locks
     * @throws IllegalArgumentException if a property is invalid; names the fix
     */
    default void checkConfiguration(LockSettings locks) {}

    /**
     * Checks the terms of a lock against the store's abilities.
     *
     * @param terms of the annotation, completed from the configuration
     * @param key one of its keys
     * @throws IllegalArgumentException if the store does not support them; names the fix
     */
    default void checkTerms(LockTerms terms, String key) {}

    /** {@return whether locks can have readers; otherwise startup fails for a lock that is read} */
    default boolean hasReaders() {
        return false;
    }

    /**
     * Rejects a lock with several permits.
     *
     * @param store store's name, for the message
     * @param terms terms
     * @param key one of its keys
     * @throws IllegalArgumentException if it has several permits
     */
    static void refusePermits(String store, LockTerms terms, String key) {
        int permits = terms.permits().orElse(1);
        if (permits > 1) {
            throw new IllegalArgumentException(
                    "Lock '" + key + "' has " + permits + " permits, and " + store + " keeps only locks with one. Leave"
                            + " permits out, or keep the lock in another store: distributed-lock.further-backends");
        }
    }

    /**
     * {@return the bean name of the backend, such as {@code distributedLockRedisBackend}}
     *
     * @param option option's name
     */
    static String beanName(String option) {
        return "distributedLock" + StringUtils.capitalize(option) + "Backend";
    }

    /**
     * {@return the bean name of a further store's engine, such as {@code distributedLockZookeeperEngine}}
     *
     * @param option option's name
     */
    static String engineName(String option) {
        return "distributedLock" + StringUtils.capitalize(option) + "Engine";
    }

    /**
     * {@return the name of a further store's {@code LockOperations} bean, such as {@code zookeeperLocks}}
     *
     * @param option option's name
     */
    static String locksOf(String option) {
        return option + "Locks";
    }
}

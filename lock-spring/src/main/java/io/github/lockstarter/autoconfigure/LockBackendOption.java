package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import java.util.Locale;

/**
 * A value of {@code distributed-lock.backend} and the rules of its store. A store's auto-configuration declares it as a
 * bean even if another store is selected, so that unknown values fail startup; all its other beans need {@link
 * ConditionalOnLockBackend}.
 */
public interface LockBackendOption {

    /** Keeps locks in this JVM, for tests. */
    String LOCAL = "local";

    /** {@return the value: lower-case letters and digits, unique in an application} */
    String name();

    /**
     * Validates the configuration of the store, at each start.
     *
     * @param locks the settings of all locks
     * @throws IllegalArgumentException if a property is invalid; names it and the fix
     */
    default void checkConfiguration(LockSettings locks) {}

    /**
     * Checks whether the store supports a request.
     *
     * @param request the request, such as that of an annotation
     * @param key one of its keys
     * @throws IllegalArgumentException if it does not; names the fix
     */
    default void checkRequest(LockRequest request, String key) {}

    /**
     * Implements {@link #checkRequest} for a store without permits.
     *
     * @param store the store's name, for messages
     * @param request the request
     * @param key one of its keys
     * @throws IllegalArgumentException if the lock has several permits
     */
    static void refusePermits(String store, LockRequest request, String key) {
        if (request.permits().orElse(1) > 1) {
            throw new IllegalArgumentException("Lock '" + key + "' has "
                    + request.permits().getAsInt() + " permits, and " + store + " keeps only locks with one. Leave"
                    + " permits out, or keep the lock in another store: distributed-lock.further-backends");
        }
    }

    /**
     * The bean name of a store's backend.
     *
     * @param option the name of the option
     * @return the bean name, such as {@code distributedLockRedisBackend}
     */
    static String beanName(String option) {
        return "distributedLock" + option.substring(0, 1).toUpperCase(Locale.ROOT) + option.substring(1) + "Backend";
    }

    /**
     * The name of the {@code LockOperations} bean of a further store.
     *
     * @param option the name of the option
     * @return the bean name, such as {@code zookeeperLocks}
     */
    static String locksOf(String option) {
        return option + "Locks";
    }
}

package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import java.util.Locale;

/**
 * A value of {@code distributed-lock.backend}, and the rules of the store behind it. The auto-configuration of a store
 * declares one as a bean, whether or not the application chooses the store: so a mistyped value fails the start. What
 * is made only for the store in use is declared with {@link ConditionalOnLockBackend}.
 */
public interface LockBackendOption {

    /** Name of the option that keeps locks in this JVM, for tests. */
    String LOCAL = "local";

    /**
     * The value: lower-case letters and digits. Two options of an application never have the same name.
     *
     * @return the name
     */
    String name();

    /**
     * Checks the configuration as far as it concerns the store, at each start.
     *
     * @param locks the settings of all locks
     * @throws IllegalArgumentException when a property is wrong; names it, and says what to change
     */
    default void checkConfiguration(LockSettings locks) {}

    /**
     * Checks whether the store can keep a lock as a request asks.
     *
     * @param request the request, such as that of an annotation
     * @param key one of its keys, which is kept in this store
     * @throws IllegalArgumentException when it cannot; the message says what to change
     */
    default void checkRequest(LockRequest request, String key) {}

    /**
     * For the {@link #checkRequest} of a store whose locks have one permit.
     *
     * @param store the store, as messages call it
     * @param request the request
     * @param key one of its keys
     * @throws IllegalArgumentException when the lock has more; says what to change
     */
    static void refusePermits(String store, LockRequest request, String key) {
        if (request.permits().orElse(1) > 1) {
            throw new IllegalArgumentException("Lock '" + key + "' has "
                    + request.permits().getAsInt() + " permits, and " + store + " keeps only locks with one. Leave"
                    + " permits out, or keep the lock in another store: distributed-lock.further-backends");
        }
    }

    /**
     * The name that the bean with the backend has, by which it is found.
     *
     * @param option the name of the option
     * @return the name of the bean, such as {@code distributedLockRedisBackend}
     */
    static String beanName(String option) {
        return "distributedLock" + option.substring(0, 1).toUpperCase(Locale.ROOT) + option.substring(1) + "Backend";
    }

    /**
     * The name of the bean with the locks of a store of {@code distributed-lock.further-backends}.
     *
     * @param option the name of the option
     * @return the name of the bean, such as {@code zookeeperLocks}
     */
    static String locksOf(String option) {
        return option + "Locks";
    }
}

package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** The validated settings that a store needs. A singleton bean. */
public interface LockSettings {

    /**
     * The prefix of all stored keys.
     *
     * @return {@code distributed-lock.key-prefix}
     */
    String keyPrefix();

    /**
     * How long a lock stays held when its holder is paused or disconnected, unless its name or request sets it.
     *
     * @return {@code distributed-lock.lease}
     */
    Duration lease();

    /**
     * The longest lease that a request may have.
     *
     * @return {@code distributed-lock.max-lease}, else the lease
     */
    Duration longestLease();

    /**
     * The leases of single names.
     *
     * @return {@code distributed-lock.locks.<name>.lease} by name
     */
    Map<String, Duration> leases();

    /**
     * The store of the primary {@code LockOperations} bean.
     *
     * @return the name of a {@link LockBackendOption}
     */
    String backend();

    /** {@return the names of this store and of {@code distributed-lock.further-backends}} */
    Set<String> backendsInUse();
}

package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** The settings of all locks, as far as a store has to know them. There is one bean, bound and checked. */
public interface LockSettings {

    /**
     * What the names of all that is stored begin with.
     *
     * @return {@code distributed-lock.key-prefix}
     */
    String keyPrefix();

    /**
     * How long a lock outlives a holder that is paused or cut off, and at most a crashed one, unless its name or
     * request says otherwise.
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
     * @return those of {@code distributed-lock.locks.<name>.lease}, by name
     */
    Map<String, Duration> leases();

    /**
     * Where the locks of the {@code LockOperations} bean are kept that is injected by type.
     *
     * @return the name of a {@link LockBackendOption}
     */
    String backend();

    /**
     * All backends that keep locks.
     *
     * @return the names of this one and of {@code distributed-lock.further-backends}
     */
    Set<String> backendsInUse();
}

package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** The validated settings that stores and other modules need. */
public interface LockSettings {

    /** {@return {@code distributed-lock.key-prefix}, the prefix of all stored keys} */
    String keyPrefix();

    /** {@return {@code distributed-lock.lease}, the default lease} */
    Duration lease();

    /** {@return {@code distributed-lock.max-lease}, else the lease} */
    Duration longestLease();

    /** {@return {@code distributed-lock.locks.<name>.lease} by name} */
    Map<String, Duration> leases();

    /** {@return the {@link LockBackendOption} of the primary {@code LockOperations} bean} */
    String backend();

    /** {@return the names of this store and of {@code distributed-lock.further-backends}} */
    Set<String> backendsInUse();
}

package io.github.lockstarter;

import java.time.Instant;
import java.util.Optional;

/**
 * The owner of a lock, as stored at the grant. A later hand-over inside the owner's instance is not stored
 * until that instance sends the next acquire.
 *
 * @param instance as {@link LockAdmin#instance} of the instance
 * @param owner shortened name of the acquiring thread, or {@value HeldLock#ASYNC}; empty if it is not stored
 * @param since time of the attempt by the owner's clock; empty if it is not stored
 */
public record LockHolder(String instance, Optional<String> owner, Optional<Instant> since) {

    /**
     * An owner of which only the instance is known.
     *
     * @param instance as {@link LockAdmin#instance} of the instance
     */
    public LockHolder(String instance) {
        this(instance, Optional.empty(), Optional.empty());
    }
}

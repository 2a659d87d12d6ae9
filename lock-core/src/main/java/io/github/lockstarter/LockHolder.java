package io.github.lockstarter;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The owner of a lock as stored at the grant. Later hand-overs within its instance are stored only with that instance's
 * next acquire.
 *
 * @param instance as {@link LockAdmin#instance}
 * @param host machine or pod of the instance, if stored
 * @param application application of the instance, if stored
 * @param owner shortened name of the acquiring thread, or {@value HeldLock#ASYNC}; empty if not stored
 * @param since time of the attempt by the owner's clock, if stored
 */
public record LockHolder(
        String instance,
        Optional<String> host,
        Optional<String> application,
        Optional<String> owner,
        Optional<Instant> since) {

    /**
     * An owner without host and application.
     *
     * @param instance as {@link LockAdmin#instance}
     * @param owner shortened name of the acquiring thread
     * @param since time of the attempt by the owner's clock
     */
    public LockHolder(String instance, Optional<String> owner, Optional<Instant> since) {
        this(instance, Optional.empty(), Optional.empty(), owner, since);
    }

    /**
     * An owner of which only the instance is known.
     *
     * @param instance as {@link LockAdmin#instance}
     */
    public LockHolder(String instance) {
        this(instance, Optional.empty(), Optional.empty());
    }

    /**
     * Formats the instance for messages.
     *
     * @return such as {@code a54772d5 (pod-7/orders)}, or the instance alone
     */
    public String instanceText() {
        String place = Stream.concat(host.stream(), application.stream()).collect(Collectors.joining("/"));
        return place.isEmpty() ? instance : instance + " (" + place + ')';
    }
}

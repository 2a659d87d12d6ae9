package io.github.lockstarter;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The owner of a lock, as stored at the grant. A later hand-over inside the owner's instance is not stored
 * until that instance sends the next acquire.
 *
 * @param instance as {@link LockAdmin#instance} of the instance
 * @param host the machine or pod on which the instance runs; empty if it is not stored
 * @param application the application that the instance is of; empty if it is not stored
 * @param owner shortened name of the acquiring thread, or {@value HeldLock#ASYNC}; empty if it is not stored
 * @param since time of the attempt by the owner's clock; empty if it is not stored
 */
public record LockHolder(
        String instance,
        Optional<String> host,
        Optional<String> application,
        Optional<String> owner,
        Optional<Instant> since) {

    /**
     * An owner of which host and application are not known.
     *
     * @param instance as {@link LockAdmin#instance} of the instance
     * @param owner shortened name of the acquiring thread
     * @param since time of the attempt by the owner's clock
     */
    public LockHolder(String instance, Optional<String> owner, Optional<Instant> since) {
        this(instance, Optional.empty(), Optional.empty(), owner, since);
    }

    /**
     * An owner of which only the instance is known.
     *
     * @param instance as {@link LockAdmin#instance} of the instance
     */
    public LockHolder(String instance) {
        this(instance, Optional.empty(), Optional.empty());
    }

    /**
     * The instance for a message.
     *
     * @return such as {@code a54772d5 (pod-7/orders)}; the instance alone if nothing more is known
     */
    public String instanceText() {
        String place = Stream.concat(host.stream(), application.stream()).collect(Collectors.joining("/"));
        return place.isEmpty() ? instance : instance + " (" + place + ')';
    }
}

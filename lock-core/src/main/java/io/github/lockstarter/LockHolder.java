package io.github.lockstarter;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The owner of a lock as stored at the grant; a handover is stored only with its instance's next acquire.
 *
 * @param instance as {@link LockAdmin#instance}
 * @param host machine or pod, if stored
 * @param application application, if stored
 * @param owner shortened name of the acquiring thread, or {@value HeldLock#ASYNC}, if stored
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
     * @param instance instance
     * @param owner acquiring thread
     * @param since time
     */
    public LockHolder(String instance, Optional<String> owner, Optional<Instant> since) {
        this(instance, Optional.empty(), Optional.empty(), owner, since);
    }

    /**
     * An owner known only by its instance.
     *
     * @param instance instance
     */
    public LockHolder(String instance) {
        this(instance, Optional.empty(), Optional.empty());
    }

    /** {@return the instance for messages, such as {@code a54772d5 (pod-7/orders)}} */
    public String instanceText() {
        String place = Stream.concat(host.stream(), application.stream()).collect(Collectors.joining("/"));
        return place.isEmpty() ? instance : instance + " (" + place + ')';
    }
}

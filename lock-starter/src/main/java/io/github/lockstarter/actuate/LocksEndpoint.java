package io.github.lockstarter.actuate;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockSource;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.lang.Nullable;

/**
 * {@code /actuator/locks}: the locks that this instance of the application holds at the moment, not those of other
 * instances. Read-only, answered from memory. Keys may contain identifiers of people or orders, so it is not exposed
 * over HTTP unless {@code management.endpoints.web.exposure.include} names it.
 */
@Endpoint(id = "locks")
public final class LocksEndpoint {

    private final LockSource locks;

    /**
     * Creates the endpoint.
     *
     * @param locks whose held locks to show
     */
    public LocksEndpoint(LockSource locks) {
        this.locks = Objects.requireNonNull(locks, "locks");
    }

    /**
     * The held locks.
     *
     * @param key only the lock of this key, {@code /actuator/locks?key=order:42}; all if absent
     * @return the locks, sorted by key
     */
    // Deprecated in Framework 7, but the one annotation that makes a parameter optional on Boot 3.5 and on 4.1: with
    // JSpecify's, 3.5 answers 400 to a request without the parameter.
    @SuppressWarnings("deprecation")
    @ReadOperation
    public Locks heldLocks(@Nullable String key) {
        Stream<HeldLock> held = locks.heldLocks().snapshot().stream();
        if (key != null) {
            held = held.filter(lock -> lock.key().equals(key));
        }
        return Locks.of(held);
    }

    /**
     * The answer.
     *
     * @param count how many locks it lists
     * @param locks the locks, sorted by key
     */
    public record Locks(int count, List<Lock> locks) implements OperationResponseBody {

        static Locks of(Stream<HeldLock> held) {
            List<Lock> sorted = held.map(Lock::of)
                    .sorted(Comparator.comparing(Lock::key).thenComparing(Lock::fencingToken))
                    .toList();
            return new Locks(sorted.size(), sorted);
        }
    }

    /**
     * One held lock.
     *
     * @param key its key
     * @param name logical name of the request
     * @param fencingToken its fencing token
     * @param owner name of the acquiring thread, or {@value HeldLock#ASYNC}
     * @param heldForMs milliseconds since it was acquired
     * @param remainingLeaseMs milliseconds until its lease is over unless it is renewed
     * @param holdCount nested holds, at least 1
     * @param renewals how often the lease was renewed
     */
    public record Lock(
            String key,
            String name,
            long fencingToken,
            String owner,
            long heldForMs,
            long remainingLeaseMs,
            int holdCount,
            long renewals) {

        static Lock of(HeldLock held) {
            return new Lock(
                    held.key(),
                    held.name(),
                    held.fencingToken(),
                    held.owner(),
                    held.heldFor().toMillis(),
                    held.remainingLease().toMillis(),
                    held.holdCount(),
                    held.renewals());
        }
    }
}

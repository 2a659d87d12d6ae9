package io.github.lockstarter;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One lock that this instance holds, as it was at one moment.
 *
 * @param name logical name of the request
 * @param key the lock's key
 * @param slot which of the lock's permits it is, from 0 on; 0 for a lock with one
 * @param fencingToken its fencing token
 * @param owner name of the acquiring thread, or {@value #ASYNC}
 * @param heldSince when it was acquired, by the clock of this machine at that moment
 * @param heldFor time since it was acquired
 * @param remainingLease time until the lease is over unless it is renewed
 * @param holdCount nested holds, at least 1
 * @param renewals how often the lease was renewed
 * @param handOvers how many holders of this instance had the lock right before, one after the other
 * @param state {@link HoldState#HELD}, or {@link HoldState#IN_DOUBT}
 * @param takenOverFrom the owner that the lock was taken over from, since its instance had crashed or was cut off;
 *     empty if the lock was free
 */
public record HeldLock(
        String name,
        String key,
        int slot,
        long fencingToken,
        String owner,
        Instant heldSince,
        Duration heldFor,
        Duration remainingLease,
        int holdCount,
        long renewals,
        long handOvers,
        HoldState state,
        Optional<LockHolder> takenOverFrom) {

    /** Owner of a lock that was acquired without a thread. */
    public static final String ASYNC = "async";
}

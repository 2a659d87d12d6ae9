package io.github.lockstarter;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Snapshot of one lock that this instance holds.
 *
 * @param name logical name
 * @param key key
 * @param slot as {@link LockHandle#slot}
 * @param fencingToken fencing token
 * @param owner name of the acquiring thread, or {@value #ASYNC}
 * @param heldSince time of the grant by this machine's clock
 * @param heldFor time since the grant
 * @param remainingLease time until the lease ends unless renewed
 * @param maxHold maximum hold ({@code max-hold}, or to the end of a lease that is not renewed); empty without a limit
 * @param holdCount nested holds, or handles of readers, at least 1
 * @param renewals number of renewals
 * @param handovers consecutive handovers in this instance before this hold
 * @param state held or in doubt
 * @param takenOverFrom previous owner if the lock was taken over
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
        Optional<Duration> maxHold,
        int holdCount,
        long renewals,
        long handovers,
        HoldState state,
        Optional<LockHolder> takenOverFrom) {

    /** Owner of a lock that was acquired asynchronously. */
    public static final String ASYNC = "async";

    /** {@return whether this instance reads} */
    public LockMode mode() {
        return slot < LockRequest.MAX_PERMITS ? LockMode.WRITE : LockMode.READ;
    }
}

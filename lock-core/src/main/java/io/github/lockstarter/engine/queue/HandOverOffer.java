package io.github.lockstarter.engine.queue;

import java.util.Optional;

/**
 * Offers the lock of a hold that ends to waiters of the same instance. Called under the lock of the key's queue: no
 * I/O.
 */
public interface HandOverOffer {

    /**
     * Offers the lock to a waiter.
     *
     * @param waiter the first in line
     * @return the hold made for the waiter; empty if the lock must not be handed over, to this waiter or any behind it
     */
    Optional<AcquireOutcome.Got> to(Acquisition waiter);

    /** Whether the fencing tokens of the grant ran out, and ran out early. */
    boolean ranOutEarly();

    /**
     * The waiter gave up in this moment: the next one is asked.
     *
     * @param refused what {@link #to} returned
     */
    void refused(AcquireOutcome.Got refused);
}

package io.github.lockstarter.engine;

import java.util.Optional;

/** Makes the hold of whoever has a lock next. Called with the lock of the key's queue held: no I/O. */
interface HandOverOffer {

    /**
     * The hold for a waiter.
     *
     * @param waiter the first in line
     * @return empty if the lock must not go to that waiter, and so to nobody
     */
    Optional<AcquireOutcome.Got> by(Acquisition waiter);

    /** Whether nobody may have the lock because there is no fencing token left, and there soon was none. */
    boolean isUsedUpSoon();

    /**
     * The waiter has given up in this moment; the next one is asked.
     *
     * @param refused what {@link #by} made
     */
    void refused(AcquireOutcome.Got refused);
}

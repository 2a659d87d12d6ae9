package io.github.lockstarter.local;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * The grants whose keys are still in memory, oldest first. An unused key is remembered for {@value #KEPT} more
 * grants, so that a release that is sent twice gets the same answer twice, and is then forgotten.
 *
 * <p>Each new grant looks at the two oldest: what is unused goes, what is used moves to the end. One comes and up to
 * two go, so beyond {@value #KEPT} there are about as many unused ones as used ones at most. Thread-safe.
 */
final class RecentGrants {

    static final int KEPT = 1_000;

    private final Queue<Grant> grants = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final Predicate<Grant> forgetUnlessUsed;

    /**
     * Remembers nothing yet.
     *
     * @param forgetUnlessUsed whether the key of the grant is in use because of it; forgets the key if not
     */
    RecentGrants(Predicate<Grant> forgetUnlessUsed) {
        this.forgetUnlessUsed = forgetUnlessUsed;
    }

    void add(Grant grant) {
        grants.add(grant);
        if (size.incrementAndGet() > KEPT) {
            reviewOldest();
            reviewOldest();
        }
    }

    private void reviewOldest() {
        Grant oldest = grants.poll();
        if (oldest == null) {
            return;
        }
        if (forgetUnlessUsed.test(oldest)) {
            grants.add(oldest);
        } else {
            size.decrementAndGet();
        }
    }

    /**
     * One grant.
     *
     * @param key the lock's key
     * @param fencingToken the last one of the grant, unique among the grants
     */
    record Grant(String key, long fencingToken) {}
}

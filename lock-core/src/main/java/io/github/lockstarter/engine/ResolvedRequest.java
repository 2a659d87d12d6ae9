package io.github.lockstarter.engine;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.Optional;

/**
 * A request with all its terms: its own, else configured for its name, else the defaults.
 *
 * @param warnAfter hold time after which it is reported as held long; zero for never, as for an unlimited hold
 * @param ticket of a lock to attach, without a wait
 */
record ResolvedRequest(String name, LockTerms terms, Duration warnAfter, Optional<LockTicket> ticket) {

    private static final int RENEWALS_PER_LEASE = 3;
    private static final int BATCHES_PER_LEASE = 100;
    private static final long MAX_BATCH_NANOS = 50_000_000;

    static ResolvedRequest of(LockRequest request, EngineSettings settings) {
        LockTerms terms = settings.completed(request);
        boolean unlimited = terms.maxHold().filter(ResolvedRequest::isUnlimited).isPresent();
        return new ResolvedRequest(
                request.name(),
                request.ticket().isPresent() ? terms.maxWait(Duration.ZERO) : terms,
                unlimited ? Duration.ZERO : settings.warnAfter(),
                request.ticket());
    }

    /** Such as that of a leader, whom no configured limit concerns. */
    private static boolean isUnlimited(Duration maxHold) {
        return maxHold.compareTo(LockRequest.MAX_DURATION) >= 0;
    }

    private ResolvedRequest with(LockTerms changed) {
        return new ResolvedRequest(name, changed, warnAfter, ticket);
    }

    ResolvedRequest maxWait(Duration wait) {
        return with(terms.maxWait(wait));
    }

    /**
     * Terms of a hold after an extension. Unset values stay, as do those that the store or listeners know since the
     * grant.
     *
     * @param held time since the grant
     */
    ResolvedRequest continuedOn(LockTerms extension, Duration held) {
        LockTerms continued = terms;
        if (extension.lease().isPresent() && extension.lease().get().compareTo(lease()) > 0) {
            continued = continued.lease(extension.lease().get());
        }
        if (reads()) { // others share the hold
            return with(continued);
        }
        if (extension.renewal() != Renewal.AS_CONFIGURED) {
            continued = continued.renewal(extension.renewal());
        }
        if (extension.minHoldIf() != MinHoldIf.AS_CONFIGURED) {
            continued = continued.minHoldIf(extension.minHoldIf());
        }
        if (extension.maxHold().isPresent()) {
            continued = continued.maxHold(held.plus(extension.maxHold().get()));
        }
        return with(continued);
    }

    /** Zero for one attempt. */
    Duration maxWait() {
        return terms.maxWait().orElseThrow();
    }

    Duration lease() {
        return terms.lease().orElseThrow();
    }

    /** Minimum time for which no other caller gets the lock, perhaps only after success; zero for none. */
    Duration minHold() {
        return terms.minHold().orElse(Duration.ZERO);
    }

    /** Whether the minimum hold does. */
    boolean dependsOnSuccess() {
        return terms.minHoldIf() == MinHoldIf.SUCCESS;
    }

    ResolvedRequest withoutMinHold() {
        return with(terms.minHold(Duration.ZERO));
    }

    /** Hold time after which renewal stops; empty for never. */
    Optional<Duration> maxHold() {
        return terms.maxHold().filter(longest -> !isUnlimited(longest));
    }

    /**
     * Time from the end of the holder's connection to a takeover; zero for never. A takeover would cut a minimum hold
     * short, unless that needs a success; the lease is at least as long.
     */
    Duration crashTakeover() {
        return mayBeKept() && !dependsOnSuccess()
                ? Duration.ZERO
                : terms.crashTakeover().orElseThrow();
    }

    LockMode mode() {
        return terms.reads() ? LockMode.READ : LockMode.WRITE;
    }

    boolean reads() {
        return terms.reads();
    }

    /** The slots that it may be granted. */
    Slots slots() {
        return reads() ? Slots.OF_READERS : Slots.first(permits());
    }

    /** The number of permits. It may be granted a slot if an instance does not hold all below this. */
    int permits() {
        return terms.permits().orElseThrow();
    }

    ResolvedRequest reading() {
        return with(terms.mode(LockMode.READ));
    }

    /** Whether it reads, and may share a hold of the other, which has one name and counts its times from the grant. */
    boolean mayShare(ResolvedRequest other) {
        return reads()
                && name.equals(other.name)
                && lease().equals(other.lease())
                && crashTakeover().equals(other.crashTakeover())
                && terms.renewal() == other.terms.renewal()
                && terms.maxHold().equals(other.terms.maxHold())
                && terms.release().equals(other.terms.release())
                && terms.onLost() == other.terms.onLost();
    }

    /** Whether a release awaits the store's answer. */
    boolean awaitsRelease() {
        return terms.release().orElseThrow() == LockTerms.Release.AWAIT;
    }

    boolean isRenewed() {
        return terms.renewal() == Renewal.ON;
    }

    /** Whether a release may keep the lock. */
    boolean mayBeKept() {
        return !minHold().isZero();
    }

    long leaseNanos() {
        return lease().toNanos();
    }

    /**
     * When to renew a lease requested at a time: after a third of it, rounded down to a multiple of a hundredth of it,
     * at most 50 ms, so locks due at about the same time share a call.
     */
    long renewAt(long sentNanos) {
        long latest = sentNanos + leaseNanos() / RENEWALS_PER_LEASE;
        return latest - Math.floorMod(latest, Math.min(leaseNanos() / BATCHES_PER_LEASE, MAX_BATCH_NANOS));
    }
}

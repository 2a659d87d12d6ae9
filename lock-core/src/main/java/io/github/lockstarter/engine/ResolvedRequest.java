package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import java.util.Optional;

/**
 * A request completed from its name's configuration and the defaults.
 *
 * @param maxWait zero for one attempt
 * @param renewal {@link Renewal#ON} or {@link Renewal#OFF}
 * @param warnAfter hold time after which it is reported as held long; zero for never, as for an unlimited hold
 * @param atLeast minimum time for which no other caller gets the lock; zero for none
 * @param maxHold hold time after which renewal stops; empty for never
 * @param crashTakeOver time from the end of the holder's connection to a take-over; zero for never
 * @param permits number of concurrent holders
 * @param release whether a release awaits the store's answer
 */
record ResolvedRequest(
        String name,
        Duration lease,
        Duration maxWait,
        Renewal renewal,
        Duration warnAfter,
        Duration atLeast,
        Optional<Duration> maxHold,
        Duration crashTakeOver,
        int permits,
        EngineSettings.Release release) {

    private static final int RENEWALS_PER_LEASE = 3;
    private static final int BATCHES_PER_LEASE = 100;
    private static final long MAX_BATCH_NANOS = 50_000_000;

    static ResolvedRequest of(LockRequest request, EngineSettings settings) {
        Duration lease = settings.leaseOf(request);
        Duration atLeast = settings.atLeastOf(request, lease);
        return new ResolvedRequest(
                request.name(),
                lease,
                settings.maxWaitOf(request),
                renewal(request, settings),
                request.maxHold().filter(ResolvedRequest::isUnlimited).isPresent()
                        ? Duration.ZERO
                        : settings.warnAfter(),
                atLeast,
                limit(settings.maxHoldOf(request, lease)),

                // A take-over would cut a minimum time short; the lease is at least as long.
                atLeast.isZero() ? settings.crashTakeOverOf(request) : Duration.ZERO,
                settings.permitsOf(request),
                settings.releaseOf(request));
    }

    /** Such as that of a leader, whom no configured limit concerns. */
    private static boolean isUnlimited(Duration maxHold) {
        return maxHold.equals(LockRequest.MAX_DURATION);
    }

    private static Optional<Duration> limit(Optional<Duration> maxHold) {
        return maxHold.filter(longest -> !isUnlimited(longest));
    }

    private static Renewal renewal(LockRequest request, EngineSettings settings) {
        if (request.renewal() != Renewal.AS_CONFIGURED) {
            return request.renewal();
        }
        return settings.watchdog().enabled() ? Renewal.ON : Renewal.OFF;
    }

    ResolvedRequest waitingUpTo(Duration wait) {
        return new ResolvedRequest(
                name, lease, wait, renewal, warnAfter, atLeast, maxHold, crashTakeOver, permits, release);
    }

    /**
     * Terms of a hold after an extension. Unset values stay, as do those that the store or listeners know since the
     * grant.
     *
     * @param held time since the grant
     */
    ResolvedRequest continuedOn(LockRequest terms, Duration held) {
        return new ResolvedRequest(
                name,
                terms.lease().filter(other -> other.compareTo(lease) > 0).orElse(lease),
                maxWait,
                terms.renewal() == Renewal.AS_CONFIGURED ? renewal : terms.renewal(),
                warnAfter,
                atLeast,
                terms.maxHold().isPresent() ? limit(terms.maxHold()).map(held::plus) : maxHold,
                crashTakeOver,
                permits,
                release);
    }

    boolean isRenewed() {
        return renewal == Renewal.ON;
    }

    boolean isKept() {
        return !atLeast.isZero();
    }

    long leaseNanos() {
        return lease.toNanos();
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

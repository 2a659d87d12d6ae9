package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import java.util.Optional;

/**
 * A request with everything decided: what the request says, else what is configured for its name, else the defaults.
 *
 * @param name logical name
 * @param lease the lease
 * @param maxWait the wait; zero for one attempt
 * @param renewal {@link Renewal#ON} or {@link Renewal#OFF}
 * @param warnAfter how long a hold lasts before listeners hear of it; zero if they never do
 * @param atLeast minimum time for which no other caller gets the lock; zero if there is none
 * @param maxHold how long after its grant the lock is still renewed; empty if there is no end
 * @param crashTakeOver how long after the end of its holder's connection the lock is taken over; zero if never
 * @param permits how many callers have the lock at a time
 * @param release whether a release waits for the answer of the store
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

    private static final int RENEW_AT = 3;
    private static final int SHARE_OF_LEASE_TOGETHER = 100;
    private static final long MOST_NANOS_TOGETHER = 50_000_000;

    /** Fills in what the request leaves open. */
    static ResolvedRequest of(LockRequest request, EngineSettings settings) {
        Duration lease = settings.leaseOf(request);
        Duration atLeast = settings.atLeastOf(request, lease);
        return new ResolvedRequest(
                request.name(),
                lease,
                settings.maxWaitOf(request),
                renewal(request, settings),
                settings.warnAfter(),
                atLeast,
                settings.maxHoldOf(request, lease),
                // A lock with a minimum time is left to its lease, which is as long: no other owner is to get it
                // sooner.
                atLeast.isZero() ? settings.crashTakeOverOf(request) : Duration.ZERO,
                settings.permitsOf(request),
                settings.releaseOf(request));
    }

    private static Renewal renewal(LockRequest request, EngineSettings settings) {
        if (request.renewal() != Renewal.AS_CONFIGURED) {
            return request.renewal();
        }
        return settings.watchdog().enabled() ? Renewal.ON : Renewal.OFF;
    }

    /** The same request with another wait. */
    ResolvedRequest waitingUpTo(Duration wait) {
        return new ResolvedRequest(
                name, lease, wait, renewal, warnAfter, atLeast, maxHold, crashTakeOver, permits, release);
    }

    /**
     * The terms of a hold that goes on as another request asks, from a moment on. What the request leaves open stays,
     * as does what is known to the store since the grant, and to listeners.
     *
     * @param asked the other request
     * @param held time from the grant to that moment
     */
    ResolvedRequest continuedOn(LockRequest asked, Duration held) {
        return new ResolvedRequest(
                name,
                asked.lease().filter(other -> other.compareTo(lease) > 0).orElse(lease),
                maxWait,
                asked.renewal() == Renewal.AS_CONFIGURED ? renewal : asked.renewal(),
                warnAfter,
                atLeast,
                asked.maxHold().map(held::plus).or(() -> maxHold),
                crashTakeOver,
                permits,
                release);
    }

    /** The same request, not renewed. */
    ResolvedRequest withoutRenewal() {
        return new ResolvedRequest(
                name, lease, maxWait, Renewal.OFF, warnAfter, atLeast, maxHold, crashTakeOver, permits, release);
    }

    /** Whether the lock is kept for a minimum time. */
    boolean isKept() {
        return !atLeast.isZero();
    }

    /** The lease in nanoseconds. */
    long leaseNanos() {
        return lease.toNanos();
    }

    /**
     * When a lease that is asked for at the given time is renewed: after a third of it, or up to a hundredth of it
     * sooner, at most 50 ms, so that locks which are due at about the same time are due at the same time, and share a
     * call.
     */
    long renewAt(long sentNanos) {
        long latest = sentNanos + leaseNanos() / RENEW_AT;
        return latest - Math.floorMod(latest, Math.min(leaseNanos() / SHARE_OF_LEASE_TOGETHER, MOST_NANOS_TOGETHER));
    }
}

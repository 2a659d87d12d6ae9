package io.github.lockstarter.observe;

import io.github.lockstarter.LockRequest;
import io.micrometer.observation.Observation;
import java.util.OptionalLong;

/** {@link #outcome} and {@link #fencingToken} are set before the observation is stopped. */
public final class LockObservationContext extends Observation.Context {

    /** The observed phase. */
    public enum Phase {
        /** From the call until the grant or failure. */
        ACQUISITION,
        /** A body under the lock, until its end. */
        SECTION
    }

    private final Phase phase;
    private final LockRequest request;
    private volatile String outcome = "unknown";
    private volatile long fencingToken;

    LockObservationContext(Phase phase, LockRequest request) {
        this.phase = phase;
        this.request = request;
    }

    /** {@return the observed phase} */
    public Phase phase() {
        return phase;
    }

    /** {@return the request} */
    public LockRequest request() {
        return request;
    }

    /**
     * {@return acquired, contended, recovering, error or interrupted; for a section held or lost; unknown before the
     * end}
     */
    public String outcome() {
        return outcome;
    }

    /** {@return the fencing token; empty before the grant, and with several keys} */
    public OptionalLong fencingToken() {
        long token = fencingToken;
        return token == 0 ? OptionalLong.empty() : OptionalLong.of(token);
    }

    void ended(String outcome) {
        this.outcome = outcome;
    }

    void granted(long fencingToken) {
        this.fencingToken = fencingToken;
    }
}

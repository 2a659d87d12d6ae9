package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.LockRequest;
import io.micrometer.observation.Observation;
import java.util.OptionalLong;

/**
 * What an observation is about: an acquisition, or the section that runs under the lock.
 *
 * <p>{@link #outcome} and {@link #fencingToken} are set by the code that ends or begins the observation, before it is
 * stopped.
 */
public final class LockObservationContext extends Observation.Context {

    /** What is observed. */
    public enum Phase {
        /** From the call to its end. */
        ACQUISITION,
        /** A body under the lock, to its end. */
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

    /**
     * What is observed.
     *
     * @return the phase
     */
    public Phase phase() {
        return phase;
    }

    /**
     * What was asked for.
     *
     * @return the request
     */
    public LockRequest request() {
        return request;
    }

    /**
     * How it ended: acquired, contended, error or interrupted; of a section, held or lost.
     *
     * @return the outcome; unknown before the end
     */
    public String outcome() {
        return outcome;
    }

    /**
     * The hold's fencing token.
     *
     * @return the token; empty before the grant, and where several keys are locked
     */
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

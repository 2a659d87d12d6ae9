package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.observe.LockObservations.Observed;
import io.github.lockstarter.observe.LockSurrounding.Closing;
import io.micrometer.observation.Observation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/** A hold whose section is observed until its release. {@link #ended} turns true once. */
final class ObservedHandle implements LockHandle {

    private final LockHandle handle;
    private final Observed section;
    private final AtomicBoolean ended = new AtomicBoolean();

    ObservedHandle(LockHandle handle, Observed section) {
        this.handle = handle;
        this.section = section;
        handle.onLost(this::lost);
    }

    private void lost() {
        if (!ended.get()) {
            section.observation().event(LockObservation.LOST);
        }
    }

    Closing openScope() {
        Observation.Scope scope = section.observation().openScope();
        return scope::close;
    }

    @Override
    public ReleaseOutcome release() {
        ReleaseOutcome outcome = handle.release();
        end(outcome);
        return outcome;
    }

    @Override
    public void close() {
        try {
            handle.close();
            end(ReleaseOutcome.RELEASED);
        } catch (LockLostException e) {
            section.observation().error(e);
            end(ReleaseOutcome.LOST);
            throw e;
        }
    }

    private void end(ReleaseOutcome outcome) {
        if (outcome != ReleaseOutcome.ALREADY_RELEASED && ended.compareAndSet(false, true)) {
            section.stop(
                    outcome == ReleaseOutcome.STILL_HELD
                            ? "released"
                            : outcome.name().toLowerCase(Locale.ROOT));
        }
    }

    @Override
    public String key() {
        return handle.key();
    }

    @Override
    public List<String> keys() {
        return handle.keys();
    }

    @Override
    public long fencingToken() {
        return handle.fencingToken();
    }

    @Override
    public long fencingToken(String key) {
        return handle.fencingToken(key);
    }

    @Override
    public Duration remainingLease() {
        return handle.remainingLease();
    }

    @Override
    public boolean isHeld() {
        return handle.isHeld();
    }

    @Override
    public void ensureHeld() {
        handle.ensureHeld();
    }

    @Override
    public void extend(Duration lease) {
        handle.extend(lease);
    }

    @Override
    public void onLost(Runnable callback) {
        handle.onLost(callback);
    }

    @Override
    public String toString() {
        return handle.toString();
    }
}

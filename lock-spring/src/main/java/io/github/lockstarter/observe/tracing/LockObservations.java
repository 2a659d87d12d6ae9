package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.observe.LockDecorator;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions and what runs under locks: as spans, where there is a tracer. While the registry has no
 * listener, nothing is created.
 */
public final class LockObservations implements LockDecorator {

    private final SafeObservations observations;

    /**
     * Creates the decorator.
     *
     * @param registry where the observations go
     * @param convention what they say
     */
    public LockObservations(ObservationRegistry registry, LockObservationConvention convention) {
        this.observations = new SafeObservations(registry, convention);
    }

    @Override
    public LockSource around(LockSource source) {
        return new ObservedLockSource(source, observations);
    }

    /** The body's own observations become children of its section. */
    @Override
    public <T extends @Nullable Object, X extends Throwable> T run(
            LockRequest request, LockHandle handle, LockedAction<T, X> body) throws X {
        return handle instanceof ObservedHandle observed ? observed.section().call(body) : body.run();
    }
}

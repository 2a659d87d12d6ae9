package io.github.lockstarter.observe.tracing;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps what observations throw from locks. Thread-safe; {@code told} has what was logged before, and only grows. */
final class ObservationFailures {

    private static final Logger log = LoggerFactory.getLogger(LockObservations.class);

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /** Whether it went well. */
    boolean guarded(String what, Runnable call) {
        return guarded(
                what,
                () -> {
                    call.run();
                    return true;
                },
                false);
    }

    /** What the call returns, or what is to be taken instead when it throws. */
    <R> R guarded(String what, Supplier<R> call, R instead) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            if (told.add(what)) {
                log.warn(
                        "The observation of a lock could not {}; locks are not affected, and further failures of this kind"
                                + " are not logged. Check the observation handlers and the LockObservationConvention",
                        what,
                        e);
            }
            return instead;
        }
    }
}

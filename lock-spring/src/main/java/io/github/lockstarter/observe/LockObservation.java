package io.github.lockstarter.observe;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.spi.Digest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The observation of an acquisition or a section, below the current observation of its starting thread. Any thread
 * stops it, once.
 */
final class LockObservation {

    /**
     * How a span shows a key, which may contain identifiers of people or orders. Unless {@link #PLAIN}, spans show only
     * type and outcome of exceptions, whose messages contain the key.
     */
    enum KeyDisplay {
        /** The beginning of its SHA-256, which confirms a guess of the key. */
        HASHED,
        /** The key. */
        PLAIN,
        /** No key. */
        NONE
    }

    private static final String OUTCOME = "lock.outcome";
    private static final int HASH_DIGITS = 16;

    private final Observation observation;
    private final KeyDisplay keys;
    private volatile long lostAtMillis; // 0 until the engine reports the loss

    /**
     * Starts the observation.
     *
     * @param name differs from the meter names: a registry that derives meters from observations would register one
     *     name with two sets of tags
     */
    LockObservation(
            String name, String contextualName, LockRequest request, KeyDisplay keys, ObservationRegistry registry) {
        this.keys = keys;
        this.observation = Observation.createNotStarted(name, registry)
                .contextualName(contextualName)
                .lowCardinalityKeyValue("lock.name", request.name())
                .lowCardinalityKeyValue("lock.mode", request.terms().reads() ? "read" : "write")
                .lowCardinalityKeyValue(OUTCOME, "unknown");
        if (keys != KeyDisplay.NONE) {
            String key = String.join(", ", request.keys());
            observation.highCardinalityKeyValue("lock.key", keys == KeyDisplay.PLAIN ? key : hash(key));
        }
        observation.start();
    }

    private static String hash(String key) {
        return Digest.SHA_256.hex(key.getBytes(StandardCharsets.UTF_8)).substring(0, HASH_DIGITS);
    }

    Observation.Scope openScope() {
        return observation.openScope();
    }

    /** Releases the lock if a handler throws. */
    LockHandle granted(LockHandle handle) {
        try {
            show(handle);
            stop("acquired", null);
            return handle;
        } catch (RuntimeException | Error e) {
            handle.closeAsync();
            throw e;
        }
    }

    void failed(Throwable failure) {
        if (failure instanceof LockNotAcquiredException) {
            stop("contended", null); // not an error
        } else if (failure instanceof LockInterruptedException || failure instanceof CancellationException) {
            stop("interrupted", null);
        } else {
            stop(failure instanceof LockStoreRecoveringException ? "recovering" : "error", failure);
        }
    }

    void begun(LockHandle handle) {
        show(handle);
        handle.onLost(() -> lostAtMillis = System.currentTimeMillis());
    }

    /**
     * The section may end just after the release. Records a loss with its own time: the thread that reports it may be
     * later than the end.
     */
    void ended(LockHandle handle) {
        long lostAt = lostAtMillis;
        if (lostAt == 0 && handle.state() != HoldState.LOST) {
            stop("held", null);
            return;
        }
        try {
            long at = lostAt == 0 ? System.currentTimeMillis() : lostAt;
            observation.event(Observation.Event.of("lock.lost", "Lost the lock", at));
        } finally {
            stop("lost", null);
        }
    }

    private void show(LockHandle handle) {
        if (handle.keys().size() == 1) {
            observation.highCardinalityKeyValue("lock.fencing_token", Long.toString(handle.fencingToken()));
        }
    }

    /**
     * Stops even if a handler of the error throws.
     *
     * @param failure replaced by its type if spans must not show keys
     */
    void stop(String outcome, @Nullable Throwable failure) {
        observation.lowCardinalityKeyValue(OUTCOME, outcome);
        try {
            if (failure != null) {
                observation.error(keys == KeyDisplay.PLAIN ? failure : new RedactedException(failure, outcome));
            }
        } finally {
            observation.stop();
        }
    }

    /** An exception's message and causes may contain the key. Keeps type, outcome and stack trace. */
    private static final class RedactedException extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        private RedactedException(Throwable original, String outcome) {
            super(original.getClass().getName() + " (" + outcome + ")", null, false, true);
            setStackTrace(original.getStackTrace());
        }
    }
}

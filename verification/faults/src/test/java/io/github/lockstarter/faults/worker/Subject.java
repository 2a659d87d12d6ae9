package io.github.lockstarter.faults.worker;

import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The lock client under test, as far as all of them can be used alike. Thread-safe. */
interface Subject extends AutoCloseable {

    /**
     * Acquires within the request's wait; empty if another owner had the lock all the time.
     *
     * @throws RuntimeException if the outcome is unknown
     */
    Optional<Held> acquire(LockRequest request) throws InterruptedException;

    /** The same without a thread; fails where {@link #acquire} throws or is empty. */
    CompletableFuture<Held> acquireAsync(LockRequest request);

    /** Whether {@link Held#onLost} is ever called, and {@link Held#remainingLease} known. */
    boolean signalsLoss();

    /** Logs the capabilities of the store for the checks; does nothing for other clients than this starter. */
    default void describeStore() {
        // Other clients are checked against the promises of the starter on Redis.
    }

    /** Whether a lock can have several permits. */
    default boolean hasPermits() {
        return false;
    }

    /** Whether a lock can be read by several owners at the same time. */
    default boolean hasReaders() {
        return false;
    }

    /** Ends the client; whatever it leaves behind is written down. */
    @Override
    void close();

    /** One hold. */
    interface Held {

        long fencingToken();

        /** Zero or less when the lease is certainly over. */
        Duration remainingLease();

        /** Whether no other owner can have the lock at this moment. */
        default boolean isHeld() {
            return remainingLease().toNanos() > 0;
        }

        /** Returns if it is held at this moment, perhaps after some time; fails if it is lost. */
        default void ensureHeld() {
            // Most clients only know the lease.
        }

        /** Which of the permits it is. */
        default int slot() {
            return 0;
        }

        /** How it was acquired. */
        String path();

        void onLost(Runnable callback);

        void extend(Duration lease);

        /** Goes on reading. From the call on, others may read too. */
        default void downgrade() {
            throw new UnsupportedOperationException("without readers");
        }

        /** Returns the outcome. */
        String release();
    }
}

package io.github.lockstarter.benchmarks.client;

import java.time.Duration;

/**
 * One instance of a lock client, as one JVM of an application has it: with connections of its own, shared by all
 * threads. Thread-safe. A hold is released by the thread that acquired it, since some clients bind it to that.
 */
public interface LockClient extends AutoCloseable {

    /**
     * Waits for the lock and takes it, as an application would with this client.
     *
     * @param key what to lock
     * @param wait longest time to wait
     * @return the hold
     * @throws IllegalStateException when the wait is over
     * @throws InterruptedException when interrupted
     */
    Hold acquire(String key, Duration wait) throws InterruptedException;

    @Override
    void close();

    /** What was acquired. */
    @FunctionalInterface
    interface Hold {

        /**
         * Gives it up.
         *
         * @throws RuntimeException when it was lost before
         */
        void release();

        /**
         * Asks Redis whether it is held. Called by the thread that acquired it.
         *
         * @return false if it was lost
         * @throws UnsupportedOperationException when the client cannot tell
         */
        default boolean isHeld() {
            throw new UnsupportedOperationException("This client cannot tell whether a lock is held");
        }
    }
}

package io.github.lockstarter.benchmarks.client;

import java.time.Duration;

/**
 * A lock client, as in one JVM of an application: one set of connections for all threads. Thread-safe, but the
 * acquiring thread must release.
 */
public interface LockClient extends AutoCloseable {

    /**
     * Acquires the lock with the usual call of this client.
     *
     * @throws IllegalStateException after the wait
     */
    Hold acquire(String key, Duration wait) throws InterruptedException;

    @Override
    void close();

    @FunctionalInterface
    interface Hold {

        /**
         * Releases the lock.
         *
         * @throws RuntimeException if it was already lost
         */
        void release();
    }
}

package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.LockMode;
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

    /**
     * The same of a read/write lock, which only {@link ClientKind#withReaders} have.
     *
     * @throws IllegalStateException after the wait
     */
    default Hold acquire(String key, LockMode mode, Duration wait) throws InterruptedException {
        throw new UnsupportedOperationException("This client has no read/write locks");
    }

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

package io.github.lockstarter.demo.gallery.caller;

import java.time.Duration;
import java.util.OptionalLong;

/** A caller's lock, with one key at a time. Used by one thread. */
interface CallerLock extends AutoCloseable {

    /**
     * Acquires within the wait.
     *
     * @param lease when it expires, unless renewed
     * @return whether it was granted
     */
    boolean acquire(String key, Duration wait, Duration lease);

    /** The fencing token of the grant, if the lock has one. */
    default OptionalLong fencingToken() {
        return OptionalLong.empty();
    }

    /** When the holder was notified of the loss, by {@link System#nanoTime()}; broken locks never notify. */
    default OptionalLong lostAt() {
        return OptionalLong.empty();
    }

    /** Returns whether the caller still had the lock, as far as it knows. */
    boolean release();

    @Override
    void close();
}

package io.github.lockstarter.demo.gallery.caller;

import java.time.Duration;
import java.util.OptionalLong;

/** The lock of a caller, which has one key at a time. For one thread. */
interface CallerLock extends AutoCloseable {

    /**
     * Acquires.
     *
     * @param key what to lock
     * @param wait longest time to wait
     * @param lease when it expires, unless it is renewed
     * @return whether it was granted
     */
    boolean acquire(String key, Duration wait, Duration lease);

    /** The fencing token of the grant, where the lock has such a number. */
    default OptionalLong fencingToken() {
        return OptionalLong.empty();
    }

    /**
     * When the holder was told that it had lost the lock, {@link System#nanoTime()}; empty as long as it was not, as
     * with every broken lock.
     */
    default OptionalLong lostAt() {
        return OptionalLong.empty();
    }

    /**
     * Releases what was acquired.
     *
     * @return whether it was still the caller's, as far as the caller can tell
     */
    boolean release();

    @Override
    void close();
}

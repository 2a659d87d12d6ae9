package io.github.lockstarter.redis;

import java.util.OptionalLong;

/**
 * What the acquire script says.
 *
 * @param status whether it granted the lock
 * @param value first fencing token, remaining lease, when to try again, or position of the key that is wrong
 * @param number other instances in the queue, or position in it
 * @param marker of the server's history; empty if it is the caller's
 * @param micros the server's clock, in microseconds; empty if it was not asked for
 */
record AcquireReply(long status, long value, long number, String marker, OptionalLong micros) {

    /** The status of a grant. */
    static final long GRANTED = 1;

    /** The status when another owner has the lock. */
    static final long CONTENDED = 0;

    /** The status when the lock is free, and may have been forgotten. */
    static final long RECOVERING = 2;

    /** The status when a key holds another type. */
    static final long WRONG_TYPE = -1;
}

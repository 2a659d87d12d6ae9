package io.github.lockstarter.redis.script;

import java.util.OptionalLong;

/**
 * What the acquire script says.
 *
 * @param status whether it granted the lock
 * @param value first fencing token, remaining lease, when to try again, or position of the key that is wrong
 * @param number other instances in the queue, or position in it
 * @param marker of the server's history; empty if it is the caller's
 * @param holder who has the lock, if another owner has, and its token tells that; empty otherwise
 * @param micros the server's clock, in microseconds; empty if it was not asked for
 */
public record AcquireReply(long status, long value, long number, String marker, String holder, OptionalLong micros) {

    /** The status of a grant. */
    static final long GRANTED = 1;

    /** The status when another owner has the lock. */
    static final long CONTENDED = 0;

    /** The status when the lock is free, and may have been forgotten. */
    static final long RECOVERING = 2;

    /** The status when a key holds another type. */
    static final long WRONG_TYPE = -1;

    /** The reply without what may follow its numbers. */
    AcquireReply(long status, long value, long number) {
        this(status, value, number, "", "", OptionalLong.empty());
    }

    /** With the marker of the server's history. */
    AcquireReply marked(String text) {
        return new AcquireReply(status, value, number, text, holder, micros);
    }

    /** With who has the lock. */
    AcquireReply heldBy(String text) {
        return new AcquireReply(status, value, number, marker, text, micros);
    }

    /** With the time of the server. */
    AcquireReply at(long time) {
        return new AcquireReply(status, value, number, marker, holder, OptionalLong.of(time));
    }
}

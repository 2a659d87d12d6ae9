package io.github.lockstarter.redis.script;

import java.time.Duration;

/**
 * The reply of the scripts that renew.
 *
 * @param statuses one per lock
 * @param problem why the last lock with the status {@link #REFUSED} was refused; empty if none was
 * @param marker of the server's history; empty if it is the caller's
 * @param retryAfter how long the history stays too young for what has the status {@link #DEFERRED} or
 *     {@link #FORGOTTEN}
 */
public record RenewReply(String statuses, String problem, String marker, Duration retryAfter) {

    /** The token has the lock, and its lease was prolonged. */
    static final char RENEWED = '1';

    /** The token does not have the lock. */
    static final char NOT_HELD = '0';

    /** Renewals have to wait. */
    static final char DEFERRED = 'd';

    /** Nobody has the lock, and the server may have forgotten it. */
    static final char FORGOTTEN = 'f';

    /** Nobody knows more of the lock than before. */
    static final char REFUSED = '?';

    /** Refuses what is no reply for so many locks. */
    void check(int locks) {
        if (statuses.length() != locks) {
            throw new IllegalArgumentException("Not a reply for " + locks + " locks");
        }
        for (int i = 0; i < locks; i++) {
            char status = statuses.charAt(i);
            boolean known = status == RENEWED || status == NOT_HELD || status == DEFERRED || status == FORGOTTEN;
            if (!known && (status != REFUSED || problem.isEmpty())) {
                throw new IllegalArgumentException("Not a reply of the renew script");
            }
        }
    }

    /** What became of a lock. */
    char status(int lock) {
        return statuses.charAt(lock);
    }
}

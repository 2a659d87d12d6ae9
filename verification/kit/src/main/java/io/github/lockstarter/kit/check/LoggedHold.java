package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.LabEvent;

/**
 * One hold, as logged by its worker. All times are nanoTime.
 *
 * @param worker with the number of its incarnation
 * @param token the fencing token
 * @param requestedAt when the application called acquire
 * @param grantedAt when the application received the lock
 * @param path how it was acquired
 * @param right how long the hold excludes others
 * @param end how it ended
 */
public record LoggedHold(
        String worker, String key, long token, long requestedAt, long grantedAt, String path, Right right, End end) {

    /**
     * How long a hold excludes others.
     *
     * @param deadline the last known one; the actual deadline is not before it
     * @param takeover ns after the end of the worker's connection until the lock may be taken over; 0 if it may not
     * @param certainAt when it was last certain; 0 if never
     */
    public record Right(long deadline, long takeover, long certainAt) {}

    /**
     * The end of a hold.
     *
     * @param at when the release started, the loss was signalled, the worker was killed, or the logs end
     * @param cause cause of the loss, or outcome of the release followed by the cause of a loss; empty if unknown
     * @param returnedAt when the release returned; 0 if it did not
     * @param written outcome of the fenced write
     */
    public record End(long at, Kind kind, String cause, long returnedAt, String written) {}

    public enum Kind {
        /** Released by the application. */
        RELEASED,
        /** The loss was signalled. */
        LOST,
        /** The JVM was killed. */
        KILLED,
        /** Still held at the end of the logs. */
        OPEN
    }

    /** Whether others may read at the same time. */
    public boolean reads() {
        return LabEvent.isRead(key);
    }

    /** The same for all holds that may exclude each other: the slot, but of a reader the lock. */
    public String exclusive() {
        return exclusive(key);
    }

    static String exclusive(String key) {
        return LabEvent.isRead(key) ? LabEvent.lockOf(key) : key;
    }

    public long deadline() {
        return right.deadline();
    }

    /** Whether the lock may be taken over before its lease ends. */
    public boolean isTakenOver() {
        return right.takeover() != 0;
    }

    /**
     * The time until which the application could rely on the lock: its end or last known deadline, whichever is
     * earlier; if the lock may be taken over, the last time it was certain. A lower bound, so an overlap before it is
     * a violation. Includes earlier doubts: a holder that is certain after a doubt held the lock throughout.
     */
    public long validUntil() {
        return Math.min(end.at(), isTakenOver() ? right.certainAt() : deadline());
    }

    /** Whether the application ever held the lock within its lease and was certain of it. */
    public boolean wasValid() {
        return isTakenOver() ? right.certainAt() >= grantedAt : deadline() > grantedAt;
    }

    @Override
    public String toString() {
        return worker + " with fencing token " + token + " (" + path + ", " + end.kind()
                + (end.cause().isEmpty() ? "" : " " + end.cause()) + ")";
    }
}

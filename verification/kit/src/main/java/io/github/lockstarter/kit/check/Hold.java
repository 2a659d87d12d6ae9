package io.github.lockstarter.kit.check;

/**
 * One hold, as its worker wrote it down. All times are nanoTime.
 *
 * @param worker who held, with the number of its incarnation
 * @param key the lock's key
 * @param token its fencing token
 * @param requestedAt when it was asked for
 * @param grantedAt when the application got it
 * @param path how it was acquired
 * @param right until when nobody else may have the lock
 * @param end how it ended
 */
public record Hold(
        String worker, String key, long token, long requestedAt, long grantedAt, String path, Right right, End end) {

    /**
     * Until when nobody else may have the lock.
     *
     * @param deadline the last one that is known; the true one is never before it
     * @param takeOver how many ns after the end of the worker's connection the lock may be taken over; 0 if it may not
     * @param certainAt when it was last seen to be certain; 0 if never
     */
    public record Right(long deadline, long takeOver, long certainAt) {}

    /**
     * The end of a hold.
     *
     * @param at when: the release was begun, the loss was signalled, the worker was killed, the logs end
     * @param kind which of these
     * @param cause of the loss, or the outcome of the release, and the cause if that is a loss; empty if unknown
     * @param returnedAt when the release had returned; 0 if it did not
     * @param written what became of the fenced write
     */
    public record End(long at, Kind kind, String cause, long returnedAt, String written) {}

    /** How a hold ends. */
    public enum Kind {
        /** By the application. */
        RELEASED,
        /** By a signalled loss. */
        LOST,
        /** With its JVM. */
        KILLED,
        /** Not before the logs do. */
        OPEN
    }

    /**
     * The last deadline that is known.
     *
     * @return nanoTime
     */
    public long deadline() {
        return right.deadline();
    }

    /**
     * Whether the lock may be taken over before its lease is over.
     *
     * @return false if the lease decides alone
     */
    public boolean isTakenOver() {
        return right.takeOver() != 0;
    }

    /**
     * Until when the application was certainly entitled to believe that it had the lock: the end, or the last known
     * deadline if that is sooner; of a lock that may be taken over, when it was last seen to be certain. A lower bound,
     * so two holds that overlap before it are certainly a violation. A doubt before that counts too: who is certain
     * after a doubt had the lock all the time.
     *
     * @return nanoTime
     */
    public long validUntil() {
        return Math.min(end.at(), isTakenOver() ? right.certainAt() : deadline());
    }

    /**
     * Whether the application ever had it in its lease, and was certain of it.
     *
     * @return false if the lease was over, or the hold in doubt, before the application got to know
     */
    public boolean wasValid() {
        return isTakenOver() ? right.certainAt() >= grantedAt : deadline() > grantedAt;
    }

    @Override
    public String toString() {
        return worker + " with fencing token " + token + " (" + path + ", " + end.kind()
                + (end.cause().isEmpty() ? "" : " " + end.cause()) + ")";
    }
}

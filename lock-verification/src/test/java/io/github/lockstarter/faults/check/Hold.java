package io.github.lockstarter.faults.check;

/**
 * One hold, as its worker wrote it down. All times are nanoTime.
 *
 * @param worker who held, with the number of its incarnation
 * @param key the lock's key
 * @param token its fencing token
 * @param requestedAt when it was asked for
 * @param grantedAt when the application got it
 * @param path how it was acquired
 * @param deadline the last one that is known; the true one is never before it
 * @param end how it ended
 */
public record Hold(
        String worker, String key, long token, long requestedAt, long grantedAt, String path, long deadline, End end) {

    /**
     * The end of a hold.
     *
     * @param at when: the release was begun, the loss was signalled, the worker was killed, the logs end
     * @param kind which of these
     * @param cause of the loss, or the outcome of the release; empty if unknown
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
     * Until when the application was certainly entitled to believe that it had the lock: the end, or the last known
     * deadline if that is sooner. A lower bound, so two holds that overlap before it are certainly a violation.
     *
     * @return nanoTime
     */
    public long validUntil() {
        return Math.min(end.at(), deadline);
    }

    /**
     * Whether the application ever had it in its lease.
     *
     * @return false if the lease was over before the application got to know
     */
    public boolean wasValid() {
        return deadline > grantedAt;
    }

    @Override
    public String toString() {
        return worker + " with fencing token " + token + " (" + path + ", " + end.kind()
                + (end.cause().isEmpty() ? "" : " " + end.cause()) + ")";
    }
}

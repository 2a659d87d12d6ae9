package io.github.lockstarter.redis;

/**
 * The reply of the renew script.
 *
 * @param statuses one per lock
 * @param problem why the last lock with the status {@link #REFUSED} was refused; empty if none was
 */
record RenewReply(String statuses, String problem) {

    private static final char RENEWED = '1';
    private static final char NOT_HELD = '0';
    private static final char REFUSED = '?';

    /** Takes the reply apart that concerns so many locks. */
    static RenewReply of(String text, int locks) {
        return new RenewReply(text.substring(0, locks), text.substring(locks));
    }

    RenewReply {
        for (int i = 0; i < statuses.length(); i++) {
            char status = statuses.charAt(i);
            if (status != RENEWED && status != NOT_HELD && (status != REFUSED || problem.isEmpty())) {
                throw new IllegalArgumentException("Not a reply of the renew script");
            }
        }
    }

    /** Whether the token has the lock, and its lease was prolonged. */
    boolean isRenewed(int lock) {
        return statuses.charAt(lock) == RENEWED;
    }

    /** Whether nobody knows more of the lock than before. */
    boolean isRefused(int lock) {
        return statuses.charAt(lock) == REFUSED;
    }
}

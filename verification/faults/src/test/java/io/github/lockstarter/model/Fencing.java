package io.github.lockstarter.model;

/**
 * Fencing tokens as numbers relative to the right time: 0 is the first token of this tick, negative ones are of earlier
 * ticks. So a token of now is the same number now and later, and the states are finitely many.
 */
final class Fencing {

    /** How many grants of a tick are looked at. In Redis it is a million a second. */
    static final int TOKENS_PER_TICK = 2;

    /** In place of the token of a lock that is free, or where tokens do not matter. */
    static final int NONE = Integer.MIN_VALUE;

    private Fencing() {}

    /** A token of more than so many ticks ago: all of them are alike. */
    static int forgotten(int ticks) {
        return -ticks * TOKENS_PER_TICK - 1;
    }

    static int tick(int token, int forgotten) {
        return token == NONE ? NONE : Math.max(token - TOKENS_PER_TICK, forgotten);
    }

    /**
     * The token of the next grant: above the last one, and not below the clock. Ignores the tokens that clients have
     * seen.
     */
    static int next(int last, int clock) {
        return Math.max(last + 1, clock * TOKENS_PER_TICK);
    }

    /** Whether a counter ran ahead of the right time, which more than a million grants a second would do. */
    static boolean isAhead(int token) {
        return token >= TOKENS_PER_TICK;
    }
}

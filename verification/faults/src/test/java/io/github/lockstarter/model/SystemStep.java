package io.github.lockstarter.model;

/**
 * A step.
 *
 * @param client index of the acting client, or of the client whose command is executed; -1 if none
 * @param atDeposed whether the deposed master executes the command
 */
record SystemStep(Kind kind, int client, boolean atDeposed) {

    enum Kind {
        TICK,
        REPLICATE,
        FAILOVER,
        FLUSH,
        EMPTY_RESTART,
        NEWCOMER,
        ACQUIRE,
        RENEW,
        RELEASE,
        EXECUTE,
        EXECUTE_ANSWER_LOST,
        EXECUTE_GHOST,
        RECEIVE,
        GIVE_UP,
        CLIENT_RESTART
    }

    static SystemStep of(Kind kind) {
        return new SystemStep(kind, -1, false);
    }

    static SystemStep of(Kind kind, int client) {
        return new SystemStep(kind, client, false);
    }
}

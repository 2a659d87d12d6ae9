package io.github.lockstarter.model;

/**
 * What happens.
 *
 * @param kind of step
 * @param client index of the client that does it, or whose command it is; -1 if none's
 * @param atDeposed whether a command is executed by the deposed master
 */
record Step(Kind kind, int client, boolean atDeposed) {

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

    static Step of(Kind kind) {
        return new Step(kind, -1, false);
    }

    static Step of(Kind kind, int client) {
        return new Step(kind, client, false);
    }
}

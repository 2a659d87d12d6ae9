package io.github.lockstarter.redis;

/**
 * Why a command did not succeed.
 *
 * @param effect what it may have done on the server
 * @param problem what failed, without passwords and lock tokens
 * @param remedy what to do
 * @param cause the client's failure
 */
record RedisFailure(Effect effect, String problem, String remedy, Throwable cause) {

    /** What a failed command may have done on the server. */
    enum Effect {
        /** Certainly nothing. */
        NONE,
        /** Certainly nothing, for a reason that may be over in a moment. */
        NOT_YET,
        /** Nothing or everything. */
        UNKNOWN
    }

    /** Both sentences. */
    String reason() {
        return problem + ". " + remedy;
    }

    /** The same failure of a command that the client may have sent twice: the first copy may have been executed. */
    RedisFailure afterReconnect() {
        return new RedisFailure(Effect.UNKNOWN, problem, remedy, cause);
    }
}

package io.github.lockstarter.redis.connector;

/** Redis could not be used for locks when the application started. */
public final class RedisUnavailableException extends RuntimeException {

    /** What to change. */
    private final String remedy;

    /**
     * Creates the exception after a failed attempt.
     *
     * @param problem failed step
     * @param remedy setting or right to change
     * @param cause client's failure
     */
    public RedisUnavailableException(String problem, String remedy, Throwable cause) {
        super(problem, cause);
        this.remedy = remedy;
    }

    /**
     * Creates the exception for a missing prerequisite.
     *
     * @param problem missing prerequisite
     * @param remedy setting or right to change
     */
    public RedisUnavailableException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    /** {@return a sentence that names the setting or right to change} */
    public String remedy() {
        return remedy;
    }
}

package io.github.lockstarter.redis.connector;

/** Redis could not be used for locks when the application started. The message says what failed. */
public final class RedisUnavailableException extends RuntimeException {

    /** What to do. */
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem what failed
     * @param remedy what to do
     * @param cause the client's failure
     */
    public RedisUnavailableException(String problem, String remedy, Throwable cause) {
        super(problem, cause);
        this.remedy = remedy;
    }

    /**
     * Creates the exception where nothing was tried yet.
     *
     * @param problem what is missing
     * @param remedy what to do
     */
    public RedisUnavailableException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    /**
     * What to do.
     *
     * @return a sentence that names the setting or the right to change
     */
    public String remedy() {
        return remedy;
    }
}

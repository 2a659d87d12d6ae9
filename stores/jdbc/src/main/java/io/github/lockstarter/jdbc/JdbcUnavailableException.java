package io.github.lockstarter.jdbc;

/** The database could not be used for locks when the application started. The message says what failed. */
public final class JdbcUnavailableException extends RuntimeException {

    /** What to do. */
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem what failed
     * @param remedy what to do
     * @param cause the driver's or the pool's failure
     */
    public JdbcUnavailableException(String problem, String remedy, Throwable cause) {
        super(problem, cause);
        this.remedy = remedy;
    }

    /**
     * What to do.
     *
     * @return a sentence that names the setting, the script or the right
     */
    public String remedy() {
        return remedy;
    }
}

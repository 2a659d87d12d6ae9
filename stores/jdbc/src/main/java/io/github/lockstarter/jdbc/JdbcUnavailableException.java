package io.github.lockstarter.jdbc;

/** The database could not be used for locks at startup. */
public final class JdbcUnavailableException extends RuntimeException {

    /** What to change. */
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem what failed
     * @param remedy what to do
     * @param cause driver's or the pool's failure
     */
    public JdbcUnavailableException(String problem, String remedy, Throwable cause) {
        super(problem, cause);
        this.remedy = remedy;
    }

    /**
     * What to do.
     *
     * @return a sentence that names the setting, script or privilege
     */
    public String remedy() {
        return remedy;
    }
}

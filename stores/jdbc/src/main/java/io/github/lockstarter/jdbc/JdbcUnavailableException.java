package io.github.lockstarter.jdbc;

/** The database could not be used for locks at startup. */
public final class JdbcUnavailableException extends RuntimeException {

    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem the failed step
     * @param remedy the change to make
     * @param cause the driver's or the pool's failure
     */
    public JdbcUnavailableException(String problem, String remedy, Throwable cause) {
        super(problem, cause);
        this.remedy = remedy;
    }

    /** {@return a sentence that names the setting, script or privilege to change} */
    public String remedy() {
        return remedy;
    }
}

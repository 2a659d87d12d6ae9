package io.github.lockstarter.spi;

/** Result of a command that the store refused or whose outcome is unknown. */
public interface FailedResult {

    /** {@return the failure and, for an attempt, its remedy; without a full stop at the end} */
    String reason();

    /** {@return the failure as reported by the store or client, for {@link LockBackend#isSilence}} */
    Throwable cause();
}

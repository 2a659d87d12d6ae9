package io.github.lockstarter.spi;

/** The result of a command that failed: the store refused it, or its outcome is unknown. */
public interface FailedResult {

    /**
     * The failure in words.
     *
     * @return what failed; for an attempt, also what to do. Without a full stop at the end
     */
    String reason();

    /**
     * The failure, as the store or the client reported it.
     *
     * @return what {@link LockBackend#isSilence} judges
     */
    Throwable cause();
}

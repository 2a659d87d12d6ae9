package io.github.lockstarter.spi;

/** A result that is no answer to the command: what failed instead. */
public interface FailedResult {

    /**
     * What failed, for a message.
     *
     * @return without a full stop
     */
    String reason();

    /**
     * The failure, as the store or the client reported it.
     *
     * @return what {@link LockBackend#isSilence} judges
     */
    Throwable cause();
}

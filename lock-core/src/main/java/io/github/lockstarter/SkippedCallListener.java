package io.github.lockstarter;

/** Receives each call of a locked method that was skipped. Thread-safe; returns at once. */
@FunctionalInterface
public interface SkippedCallListener {

    /** The result of the caller. */
    enum Outcome {

        /** An empty result. */
        EMPTY_RESULT,

        /** The result of the fallback method. */
        FALLBACK
    }

    /**
     * The lock was not acquired.
     *
     * @param name name of the lock
     * @param outcome as {@link Outcome}
     */
    void skipped(String name, Outcome outcome);
}

package io.github.lockstarter;

/** Is told of each call of a locked method that returned without running it. Thread-safe; returns at once. */
@FunctionalInterface
public interface SkippedCallListener {

    /** What the caller got. */
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
     * @param outcome what the caller gets
     */
    void skipped(String name, Outcome outcome);
}

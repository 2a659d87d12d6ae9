package io.github.lockstarter.aop;

/** Is told of each call of a locked method that returned without running it. Thread-safe; returns at once. */
public interface SkippedCallListener {

    /**
     * The call returned an empty result.
     *
     * @param name name of the lock
     */
    void skipped(String name);

    /**
     * The fallback method was called.
     *
     * @param name name of the lock
     */
    void fellBack(String name);
}

package io.github.lockstarter.benchmarks.jvm;

/** What a child JVM does. Has a public constructor without parameters. Called by one thread. */
public interface ChildTask {

    /**
     * Does one thing the parent asked for.
     *
     * @param words the command and its arguments
     * @return the answer, in one line
     * @throws Exception when it fails; the parent is told
     */
    String answer(String... words) throws Exception;
}

package io.github.lockstarter.benchmarks.jvm;

/** The task of a child JVM, with a public no-argument constructor. Called by one thread. */
public interface ChildTask {

    /**
     * Executes a command.
     *
     * @param words the command and its arguments
     * @return one line
     * @throws Exception if it fails, which is reported to the parent
     */
    String answer(String... words) throws Exception;
}

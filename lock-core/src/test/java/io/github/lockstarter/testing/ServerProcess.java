package io.github.lockstarter.testing;

/** A server of a test, as a process that can be made to fail. Keeps its port over every restart. */
public interface ServerProcess extends AutoCloseable {

    /**
     * Where it listens.
     *
     * @return host name or address
     */
    String host();

    /**
     * Where it listens.
     *
     * @return the same port for the whole life of this object
     */
    int port();

    /** Stops the process in its tracks (SIGSTOP): connections stay open and nothing is answered. */
    void pause();

    /** Lets a paused process go on (SIGCONT). */
    void resume();

    /** Ends the process at once (SIGKILL). */
    void kill();

    /** Ends the process in an orderly way (SIGTERM). */
    void stop();

    /** Starts a stopped or killed process again, with the same port and arguments; ends a running one first. */
    void restart();

    /**
     * Whether it answers at once.
     *
     * @return false if it is down or paused
     */
    boolean answers();

    /** Ends the server and removes its files. Idempotent. */
    @Override
    void close();
}

package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.kit.net.TcpProxy;
import java.util.List;

/** A worker as the nemesis sees it. */
public interface Victim {

    /** Its name with the number of its incarnation, such as {@code w1.2}. */
    String name();

    /** Its links, one proxy per server. */
    List<TcpProxy> links();

    /** Ends it at once (SIGKILL). */
    void kill();

    /** Stops it in its tracks (SIGSTOP). */
    void pause();

    /** Sends SIGCONT. */
    void resume();

    /**
     * Has code that is not the lock client's use a lock on an event loop, then block it.
     *
     * @param millis how long
     */
    void blockForeignThread(long millis);

    /** Waits until it acquires locks. */
    void awaitReady();

    /** Starts its next incarnation, after a {@link #kill}. */
    void revive();

    /** Starts its next incarnation as a clone of another worker, after a {@link #kill}; returns when it is ready. */
    void reviveAsCloneOf(Victim original);

    /** The seed of all its choices, which its clones have in common with it. */
    long seed();
}

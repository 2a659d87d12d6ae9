package io.github.lockstarter.simulation.time;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A process of the simulated machines: running, paused (as by SIGSTOP or a garbage collection), or dead. Events that
 * are due during a pause happen after it, in the same order.
 */
@SuppressWarnings("JavaLangClash") // no process of the system is meant
public final class Process {

    private final String name;
    private final Deque<Runnable> missed = new ArrayDeque<>();
    private boolean isPaused;
    private boolean isDead;

    /** A process that runs. */
    public Process(String name) {
        this.name = name;
    }

    void run(Runnable action) {
        if (isDead) {
            return;
        }
        if (isPaused) {
            missed.add(action);
        } else {
            action.run();
        }
    }

    /** Whether due events happen now. */
    public boolean isRunning() {
        return !isPaused && !isDead;
    }

    /** Whether it was killed. */
    public boolean isDead() {
        return isDead;
    }

    /** Stops it, until {@link #resume}. */
    public void pause() {
        isPaused = true;
    }

    /** Continues with the missed events, unless one of them pauses or kills it. */
    public void resume() {
        isPaused = false;
        while (isRunning() && !missed.isEmpty()) {
            missed.remove().run();
        }
    }

    /** Ends it for good. */
    public void kill() {
        isDead = true;
        missed.clear();
    }

    @Override
    public String toString() {
        return name;
    }
}

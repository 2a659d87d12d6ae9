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
    private boolean paused;
    private boolean dead;

    /** A process that runs. */
    public Process(String name) {
        this.name = name;
    }

    void run(Runnable action) {
        if (dead) {
            return;
        }
        if (paused) {
            missed.add(action);
        } else {
            action.run();
        }
    }

    /** Whether due events happen now. */
    public boolean isRunning() {
        return !paused && !dead;
    }

    /** Whether it was killed. */
    public boolean isDead() {
        return dead;
    }

    /** Stops it, until {@link #resume}. */
    public void pause() {
        paused = true;
    }

    /** Continues with the missed events, unless one of them pauses or kills it. */
    public void resume() {
        paused = false;
        while (isRunning() && !missed.isEmpty()) {
            missed.remove().run();
        }
    }

    /** Ends it for good. */
    public void kill() {
        dead = true;
        missed.clear();
    }

    @Override
    public String toString() {
        return name;
    }
}

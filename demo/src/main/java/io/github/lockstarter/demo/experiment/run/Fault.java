package io.github.lockstarter.demo.experiment.run;

import java.util.List;

/** Ways to interfere with a run. */
public enum Fault {
    /** Stops the instance that is in the critical section (SIGSTOP), for longer than its lease; then lets it go on. */
    PAUSE_HOLDER,
    /** Stops it for longer than a crash take-over takes, and for less than its lease: it keeps the lock. */
    STOP_HOLDER,
    /** Kills it (SIGKILL). Another instance starts in its place. */
    KILL_HOLDER,
    /** Deletes the key of the lock in Redis while it is held. */
    DELETE_KEY,
    /** Kills Redis and starts it again. */
    RESTART_REDIS,
    /** Kills the master that has the lock, so that a replica takes over. */
    FAIL_OVER,
    /** Fails over, and then kills the new master as well, while a holder stands in the critical section. */
    FAIL_OVER_TWICE,
    /** Moves the clock of one of the five servers of Redlock ahead, by more than a lease. */
    MOVE_CLOCK;

    /** What {@code --chaos} does in a run, in this order. */
    public static final List<Fault> CHAOS = List.of(KILL_HOLDER, STOP_HOLDER, RESTART_REDIS);
}

package io.github.lockstarter.demo.experiment.run;

import java.util.List;

/** Faults in a run. */
public enum RunFault {
    /** Pauses the instance in the critical section (SIGSTOP) for longer than its lease. */
    PAUSE_HOLDER,
    /** Pauses it for longer than the crash takeover time but less than its lease, so it keeps the lock. */
    STOP_HOLDER,
    /** Kills it (SIGKILL); a replacement starts. */
    KILL_HOLDER,
    /** Deletes the key of the held lock in Redis. */
    DELETE_KEY,
    /** Kills and restarts Redis. */
    RESTART_REDIS,
    /** Kills the master of the lock, so that a replica takes over. */
    FAIL_OVER,
    /** Kills the new master too, while a holder is in the critical section. */
    FAIL_OVER_TWICE,
    /** Moves the clock of one of the five Redlock servers ahead by more than a lease. */
    MOVE_CLOCK;

    /** The faults of {@code --chaos}, in order. */
    public static final List<RunFault> CHAOS = List.of(KILL_HOLDER, STOP_HOLDER, RESTART_REDIS);
}

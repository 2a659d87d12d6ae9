package io.github.lockstarter.kit.check;

import java.time.Duration;

/**
 * Lateness for which the lock is not responsible. Generous, since a machine with two cores may run four JVMs: a timing
 * check looks for delays of a whole lease or wait.
 *
 * <p>A thread may be late by {@link #PROMISED}, {@link #SCHEDULING} and the {@linkplain History#stalls stalls} of its
 * worker. A thread that needs a reply may also take {@link #COMMAND}, if there is a fault or its aftermath, the worker
 * stalls for more than {@link #STARVED}, or its store answers late.
 */
final class Allowance {

    /** Bound of the invariants. */
    static final Duration PROMISED = Duration.ofMillis(50);

    /** From runnable to running. */
    static final Duration SCHEDULING = Duration.ofMillis(400);

    /** Command timeout of the workers, plus their coarse timer. */
    static final Duration COMMAND = Duration.ofMillis(500 + 150);

    /** Time for clients to reconnect after a fault has ended. */
    static final Duration AFTERMATH = Duration.ofSeconds(2);

    /** After a stall of this length, the servers may have stalled too, and a command may time out without a fault. */
    private static final Duration STARVED = Duration.ofMillis(100);

    private Allowance() {}

    /** Allowance of a worker's thread that should act between the two times. */
    static long forThread(History history, String worker, long from, long until) {
        return PROMISED.plus(SCHEDULING).toNanos() + Span.covered(history.stalls(worker), from, until);
    }

    /** The same for a thread that needs a reply. */
    static long forAnswer(History history, String worker, long from, long until) {
        long thread = forThread(history, worker, from, until);
        boolean disturbed =
                history.faults().stream().anyMatch(fault -> fault.touches(from - AFTERMATH.toNanos(), until));
        boolean starved = Span.covered(history.stalls(worker), from, until) > STARVED.toNanos();
        boolean slow = history.waitedForStore(worker, from, until);
        return disturbed || starved || slow ? thread + COMMAND.toNanos() : thread;
    }
}

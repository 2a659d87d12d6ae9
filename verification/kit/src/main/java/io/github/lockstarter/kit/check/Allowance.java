package io.github.lockstarter.kit.check;

import java.time.Duration;

/**
 * How late something may be for reasons that are not the lock's. Generous: a check of times must not fail because a
 * machine of two cores runs four JVMs; what it looks for is late by a lease or a wait, or for ever.
 *
 * <p>Late is what comes after its time, the {@linkplain #PROMISED 50 ms} of the invariant, {@link #SCHEDULING}, the
 * time in which the worker's threads {@linkplain History#stalls stood still}, and, for what needs an answer,
 * {@link #COMMAND} while there is a fault or its aftermath, the worker stands still for more than {@link #STARVED}, or
 * its store, which is not Redis, answers late.
 */
final class Allowance {

    /** What the invariants say. */
    static final Duration PROMISED = Duration.ofMillis(50);

    /** Until a thread that may run does. */
    static final Duration SCHEDULING = Duration.ofMillis(400);

    /** The command timeout of the workers, and the coarse timer behind it. */
    static final Duration COMMAND = Duration.ofMillis(500 + 150);

    /** How long a fault shows after it was healed: clients reconnect. */
    static final Duration AFTERMATH = Duration.ofSeconds(2);

    /** Where a thread stands still for so long, the servers may too, and a command times out without a fault. */
    private static final Duration STARVED = Duration.ofMillis(100);

    private Allowance() {}

    /** For a thread of the worker that should act between the two moments. */
    static long forThread(History history, String worker, long from, long until) {
        return PROMISED.plus(SCHEDULING).toNanos() + Span.covered(history.stalls(worker), from, until);
    }

    /** For a thread that also needs an answer. */
    static long forAnswer(History history, String worker, long from, long until) {
        long thread = forThread(history, worker, from, until);
        boolean disturbed =
                history.faults().stream().anyMatch(fault -> fault.touches(from - AFTERMATH.toNanos(), until));
        boolean starved = Span.covered(history.stalls(worker), from, until) > STARVED.toNanos();
        boolean slow = history.waitedForTheStore(worker, from, until);
        return disturbed || starved || slow ? thread + COMMAND.toNanos() : thread;
    }
}

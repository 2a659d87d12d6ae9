package io.github.lockstarter.simulation.mutant;

import java.util.List;

/** Rules about waiters, signals and hand-overs. */
final class WaiterMutants {

    private WaiterMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named("no-signal", "A release signals the instance that waits longest", "I5")
                        .editing("signal_next.lua", "for _ = 1, TRIES do", "for _ = 1, 0 do"),
                Mutant.named("unwoken-neighbours", "The end of a hold wakes the waiters of its own instance", "I5")
                        .changing("engine.queue.Waiters", "freed", Behaviour.nothing()),
                Mutant.named(
                                "unknown-release-forgotten",
                                "After a release of unknown outcome the waiters attempt at once",
                                "I5")
                        .changing("engine.queue.Waiters", "requeuedUnknown", Behaviour.nothing()),
                Mutant.named(
                                "no-look-by-itself",
                                "A waiter looks again by itself, and when the lease of the owner ends",
                                "I5")
                        .changing("engine.queue.Backoff", "nanos", Behaviour.returning(Long.MAX_VALUE / 4)));
    }
}

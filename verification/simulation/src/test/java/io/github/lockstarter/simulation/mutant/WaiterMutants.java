package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Rules about waiters, signals and handovers. */
final class WaiterMutants {

    private WaiterMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named("no-signal", "A release signals the instance that waits longest", "I5")
                        .editing("signal.lua", "for _ = 1, mayWait and TRIES or 0 do", "for _ = 1, 0 do"),
                Mutant.named("all-signalled", "A release signals one instance at most", "I7")
                        .editing("signal.lua", "woken = SIGNALLED\n    break", "woken = SIGNALLED"),
                Mutant.named("unwoken-neighbours", "The end of a hold wakes the waiters of its own instance", "I5")
                        .changing("engine.KeyLock", "slotFreed", Behaviour.following(WaiterMutants::sleep)),
                Mutant.named(
                                "unknown-release-forgotten",
                                "After a release of unknown outcome the waiters attempt at once",
                                "I5")
                        .changing("engine.KeyLock", "requeued", Behaviour.following((self, arguments) -> {
                            if (Arrays.stream(arguments).anyMatch(ReleaseResult.Unknown.class::isInstance)) {
                                sleep(self, arguments);
                            }
                        })),
                Mutant.named(
                                "no-look-by-itself",
                                "A waiter looks again by itself, and when the lease of the owner ends",
                                "I5")
                        .changing("engine.Running", "backoff", Behaviour.returning(Long.MAX_VALUE / 4)),
                Mutant.named("withdraw-leaves-entry", "A withdrawal takes the instance out of the queue", "I8")
                        .editing(
                                "release.lua",
                                "redis.pcall('ZREM', waiters, instance)",
                                "not leaves and redis.pcall('ZREM', waiters, instance)"),
                Mutant.named("grant-leaves-entry", "An instance that is granted the lock leaves the queue", "I8")
                        .editing(
                                "attempt.lua",
                                "redis.pcall(waits and 'ZREM' or 'ZSCORE', waiters,",
                                "redis.pcall('ZSCORE', waiters,"),
                Mutant.named(
                                "signals-not-passed-on",
                                "A signal that finds no waiter, and a queue that ends, withdraw in the store",
                                "I5",
                                "I8")
                        .changing("engine.KeyLock", "withdraw", Behaviour.nothing()),
                Mutant.named(
                                "handover-unbounded",
                                "At most 16 handovers, or 50 ms, follow while another instance waits",
                                "I10")
                        .changing("engine.settings.EngineSettings$Handover", "max", Behaviour.returning(1_000_000))
                        .changing(
                                "engine.settings.EngineSettings$Handover",
                                "maxTime",
                                Behaviour.returning(Duration.ofHours(1))),
                Mutant.named("owed-unanswered", "A waiter whose wait is over gets the next answer", "I5")
                        .changing("engine.KeyLock", "endTries", Behaviour.nothing()),
                Mutant.named(
                                "attempt-overtakes-requeue",
                                "An attempt follows the answer to a release that queues the instance up",
                                "I9")
                        .changing(
                                "engine.HeldSlots",
                                "releaseSlot",
                                Behaviour.following((self, arguments) -> Internals.set(self, "requeueing", 0))),
                Mutant.named("attempt-beside-withdrawal", "An attempt follows the answer to a withdrawal", "I9")
                        .changing(
                                "engine.KeyLock",
                                "withdraw",
                                Behaviour.following((self, arguments) -> Internals.set(self, "withdrawing", false))));
    }

    /** No waiter attempts before a signal or the time of the next look. */
    private static void sleep(Object lock, Object[] arguments) {
        Internals.set(lock, "attemptedPermits", 1_024);
    }
}

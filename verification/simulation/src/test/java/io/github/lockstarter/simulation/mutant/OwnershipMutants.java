package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.engine.timer.Deadline;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Rules about the owner of a lock and its lease. */
final class OwnershipMutants {

    /** When the answer came that is processed. */
    private static final AtomicReference<Deadline.Moment> ANSWERED = new AtomicReference<>();

    private OwnershipMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named("grant-of-held", "A lock that another token has is not granted", "I1", "I4")
                        .editing("attempt.lua", """
                    if owner and not repeated then
                      -- Tells""", """
                    if false then
                      -- Tells"""),
                Mutant.named("batch-set-without-nx", "A batch takes only a lock that is free", "I1", "I4")
                        .editing("acquire_batch.lua", ", 'PX', lease, 'NX')", ", 'PX', lease)"),
                Mutant.named("release-any", "Only the owner releases", "I1", "I4")
                        .editing("release.lua", "if string.sub(owner, -#token) == token then", "if true then")
                        .editing(
                                "release_batch.lua",
                                "if owner and string.sub(owner, -#token) == token then",
                                "if owner then"),
                Mutant.named("withdraw-any", "A withdrawal frees only the lock of its own token", "I1", "I4")
                        .editing(
                                "withdraw.lua",
                                "if type(owner) == 'string' and string.sub(owner, -#token) == token then",
                                "if type(owner) == 'string' then"),
                Mutant.named("lease-not-set", "A lock in the store ends with its lease", "I5", "I8")
                        .editing(
                                "attempt.lua",
                                "local set = redis.pcall('SET', lock, stored, 'PX', lease)",
                                "local set = redis.pcall('SET', lock, stored)")
                        .editing("acquire_batch.lua", ", 'PX', lease, 'NX')", ", 'NX')"),
                Mutant.named("lease-from-answer", "A lease counts from the sending of the attempt", "I1")
                        .changing(
                                "engine.AttemptRunner",
                                "granted",
                                Behaviour.beginning((self, arguments) -> ANSWERED.set(Internals.now(self))))
                        .changing(
                                "engine.hold.Grant$Asked", "sent", Behaviour.resulting((self, own) -> ANSWERED.get())),
                Mutant.named("deadline-ignored", "A hold ends at its deadline", "I1", "I6")
                        .changing("engine.hold.HoldLifecycle", "isOverdue", Behaviour.returning(false)));
    }
}

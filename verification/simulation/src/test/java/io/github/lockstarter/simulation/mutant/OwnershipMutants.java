package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.engine.Deadline;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.List;

/** Rules about the owner of a lock, its lease and its release. */
final class OwnershipMutants {

    private OwnershipMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named("grant-of-held", "A lock that another token has is not granted", "I1", "I4")
                        .editing("attempt.lua", "elseif not refused and owner and not isOwn then", "elseif false then"),
                Mutant.named("batch-set-without-nx", "A batch takes only a lock that is free", "I1", "I4")
                        .editing("acquire.lua", ", 'PX', lease, 'NX')", ", 'PX', lease)"),
                Mutant.named("repeat-not-recognised", "The same token that asks again gets the same answer", "I8")
                        .editing(
                                "acquire.lua",
                                "local isOwn = owner and string.find(owner, token, -#token, true)",
                                "local isOwn = false"),
                Mutant.named("renew-any", "Only the owner renews", "I1", "I4")
                        .editing(
                                "renew.lua",
                                "if type(owner) == 'string' and string.sub(owner, isRead and 18 or -#token) == token then",
                                "if type(owner) == 'string' then"),
                Mutant.named("release-any", "Only the owner releases", "I1", "I4")
                        .editing(
                                "release.lua",
                                "local isHeld = owner and string.sub(owner, -#token) == token",
                                "local isHeld = owner and (not leaves or string.sub(owner, -#token) == token)"),
                Mutant.named("withdraw-any", "A withdrawal frees only the lock of its own token", "I1", "I4")
                        .editing(
                                "release.lua",
                                "local isHeld = owner and string.sub(owner, -#token) == token",
                                "local isHeld = owner and (leaves or string.sub(owner, -#token) == token)"),
                Mutant.named("minimum-not-kept", "A released lock is kept for the rest of its minimum hold", "I1")
                        .editing("release.lua", "rest = math.max(0, math.ceil(minimum - since / 1000))", "rest = 0"),
                Mutant.named("lease-not-set", "A lock in the store ends with its lease", "I5", "I8")
                        .editing(
                                "attempt.lua",
                                "set = redis.pcall('SET', lock, stored, 'PX', lease)",
                                "set = redis.pcall('SET', lock, stored)")
                        .editing("acquire.lua", ", 'PX', lease, 'NX')", ", 'NX')"),
                Mutant.named("lease-from-answer", "A lease counts from the sending of the attempt", "I1")
                        .changing(
                                "engine.Running",
                                "answered",
                                Behaviour.beginning(
                                        (self, arguments) -> Internals.set(arguments[0], "sent", Internals.now(self)))),
                Mutant.named(
                                "renewal-counts-longer",
                                "A renewal extends a lease by no more than the lease, counted from its sending",
                                "I1",
                                "I6")
                        .changing(
                                "engine.RenewAttempt",
                                "deadline",
                                Behaviour.resulting(
                                        (arguments, own) -> Internals.later((Deadline) own, Duration.ofMillis(300)))),
                Mutant.named("deadline-ignored", "A hold ends at its deadline", "I1", "I6")
                        .changing("engine.HeldSlots", "expire", Behaviour.nothing())
                        .changing(
                                "engine.KeyLock",
                                "checkHeld",
                                Behaviour.resulting((arguments, own) -> isHeld(arguments[0]))),
                Mutant.named("max-hold-ignored", "Renewals end with the maximum hold", "I6")
                        .changing("engine.Hold", "isPastMaxHold", Behaviour.returning(false)),
                Mutant.named("not-held-ignored", "A renewal that finds another owner is a loss", "I1")
                        .changing(
                                "redis.RenewScript$RenewReply",
                                "status",
                                Behaviour.resulting((arguments, own) -> (char) own == '0' ? '1' : own)),
                Mutant.named("late-grant-kept", "A grant without a taker is given back", "I8")
                        .changing("engine.KeyLock", "releaseUnused", Behaviour.nothing()),
                Mutant.named("release-not-repeated", "A release without an answer is repeated", "I8")
                        .changing(
                                "engine.StoreCalls",
                                "answered",
                                Behaviour.beginning((self, arguments) -> arguments[1] = answer(arguments[1]))),
                Mutant.named(
                                "late-grant-missed",
                                "The release of an unanswered attempt is repeated for its lease",
                                "I8")
                        .changing("engine.StoreCalls$Item", "mayComeLate", Behaviour.returning(false)),
                Mutant.named("loss-untold", "Each loss is reported once", "I6")
                        .changing("engine.HeldSlots", "reportLoss", Behaviour.nothing()),
                Mutant.named(
                                "granted-to-who-left",
                                "A grant that its caller does not take goes to another waiter, or back",
                                "I8")
                        .changing(
                                "engine.KeyLock",
                                "takerOf",
                                Behaviour.resulting((arguments, own) -> Internals.get(arguments[0], "waiter"))),
                Mutant.named(
                                "release-overtakes-renewal",
                                "A release follows the answers to all renewals of its grant",
                                "I9")
                        .changing(
                                "engine.HeldSlots",
                                "scheduleRenewal",
                                Behaviour.following(
                                        (lock, arguments) -> forgetRenewal(Internals.get(arguments[1], "hold"))))
                        .changing(
                                "engine.HeldSlots",
                                "renewed",
                                Behaviour.beginning((self, arguments) ->
                                        Internals.set(grantOf(Internals.get(arguments[1], "hold")), "renewing", 1))),
                Mutant.named(
                                "lost-release-overtakes",
                                "The release of a lost lock follows the answers to its renewals",
                                "I9")
                        .changing(
                                "engine.HeldSlots",
                                "releaseLost",
                                Behaviour.beginning(
                                        (self, arguments) -> Internals.set(grantOf(arguments[0]), "renewing", 0))));
    }

    private static void forgetRenewal(Object hold) {
        Internals.set(grantOf(hold), "renewing", 0);
    }

    private static Object grantOf(Object hold) {
        return Internals.get(hold, "grant");
    }

    private static boolean isHeld(Object hold) {
        return Internals.get(hold, "state").toString().equals("HELD");
    }

    private static Object answer(Object result) {
        return result instanceof ReleaseResult.Unknown ? new ReleaseResult.Released(0) : result;
    }
}

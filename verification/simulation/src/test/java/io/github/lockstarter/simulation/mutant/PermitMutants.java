package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.spi.Slots;
import java.util.List;
import java.util.Optional;

/** Rules about the slots of locks with several permits. */
final class PermitMutants {

    private static final int MOST_PERMITS = 1_024;

    private PermitMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named("second-slot", "A token that has a slot gets no other one", "I3")
                        .editing(
                                "acquire_permit.lua",
                                "(own or free or abandoned or permits)",
                                "(free or own or abandoned or permits)"),
                Mutant.named("one-permit-more", "A caller gets no slot beyond its own limit", "I1")
                        .changing(
                                "engine.ResolvedRequest",
                                "slots",
                                Behaviour.resulting((arguments, own) ->
                                        own.equals(Slots.ONLY) ? own : Slots.first(((Slots) own).end() + 1))),
                Mutant.named(
                                "unknown-slot-kept",
                                "The release of an attempt of unknown outcome is one of all slots",
                                "I8")
                        .changing(
                                "engine.Grant",
                                "releaseCommand",
                                Behaviour.beginning((self, arguments) -> arguments[1] = Slots.ONLY)),
                Mutant.named("stops-at-first-unheard", "An attempt looks at the owners of all slots", "I5")
                        .editing(
                                "acquire_permit.lua",
                                "    if isAbandoned then\n",
                                "    if gone and not isAbandoned then break end\n    if isAbandoned then\n"),
                Mutant.named(
                                "slot-forgotten",
                                "A free slot is not granted while the history is younger than the grace",
                                "I1")
                        .editing(
                                "attempt.lua",
                                "if not refused and not owner and recovering then",
                                "if not refused and not owner and recovering and not slot then"),
                Mutant.named("first-slot-renewed", "A renewal is one of the slot that the token has", "I6", "I4")
                        .changing("spi.RenewCommand", "slot", Behaviour.returning(0)),
                Mutant.named("first-slot-released", "A release is one of the slot that the token has", "I8", "I4")
                        .changing("spi.Slots", "from", Behaviour.returning(0)),
                Mutant.named("last-slot-decides", "A waiter looks again when the first of the slots may be free", "I5")
                        .editing(
                                "acquire_permit.lua",
                                "ending[#ending + 1] = not isHeard and lock or nil",
                                "ending[#ending + 1] = nil")
                        .changing("engine.Running", "longestLook", Behaviour.returning(Optional.empty())),
                Mutant.named("neighbour-not-asked", "After a grant the next waiter asks for another slot", "I5")
                        .changing(
                                "engine.KeyLock",
                                "granted",
                                Behaviour.following(
                                        (self, arguments) -> Internals.set(self, "attemptedPermits", MOST_PERMITS))),
                Mutant.named("signal-not-passed-on", "A signal for a slot goes to who can use it", "I5")
                        .editing("signal.lua", "slot ~= '' and", "false and"));
    }
}

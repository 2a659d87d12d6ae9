package io.github.lockstarter.simulation.mutant;

import java.util.List;

/** Rules of the takeover from crashed instances. */
final class TakeoverMutants {

    private TakeoverMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named(
                                "takeover-early",
                                "A lock is taken over when its instance was disconnected for the whole takeover time",
                                "I1")
                        .editing(
                                "look.lua",
                                "local isMissing = unheard >= time * 1000",
                                "local isMissing = unheard >= time * 600"),
                Mutant.named("paused-taken-over", "An instance with a subscription is not taken over from", "I4")
                        .editing("look.lua", "'mailbox:' .. gone)[2] ~= 0", "'mailbox:' .. gone)[2] == 'never'"),
                Mutant.named("no-trace", "A takeover leaves a trace", "I1")
                        .editing(
                                "look.lua",
                                "if isMissing and (taken ~= begin or micros >= tonumber(over)) then",
                                "if false then"),
                Mutant.named("trace-unread", "Another trace begins a period", "I1")
                        .changing("spi.CrashDetection$Beat", "takeover", Behaviour.returning("")),
                Mutant.named(
                                "certain-too-long",
                                "A hold is certain for the takeover time since the last answered beat was sent",
                                "I1")
                        .changing(
                                "engine.Heartbeat",
                                "certainNanos",
                                Behaviour.resulting((arguments, own) -> 3 * (long) own)));
    }
}

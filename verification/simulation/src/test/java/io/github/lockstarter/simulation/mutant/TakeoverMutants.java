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
                                "if not marked.err and unheard >= time then",
                                "if not marked.err and unheard >= time * 3 / 5 then"),
                Mutant.named("paused-taken-over", "An instance with a subscription is not taken over from", "I4")
                        .editing(
                                "look.lua",
                                "heard = redis.pcall('PUBSUB', 'NUMSUB', prefix .. 'mailbox:' .. gone)[2] ~= 0",
                                "heard = false"),
                Mutant.named("no-trace", "A takeover leaves a trace", "I1")
                        .editing(
                                "look.lua",
                                "marked = redis.pcall('SET', trace, begin, 'PX', grace + lasts)",
                                "marked = {ok = 'OK'}"),
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

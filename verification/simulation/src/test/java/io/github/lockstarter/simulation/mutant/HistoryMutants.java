package io.github.lockstarter.simulation.mutant;

import java.util.List;

/** Rules of the history guard, and of fencing tokens. */
final class HistoryMutants {

    private HistoryMutants() {}

    static List<Mutant> all() {
        return List.of(
                Mutant.named("no-grace", "A free lock is not granted while the history is younger than the grace", "I1")
                        .editing("attempt.lua", "if not refused and not owner and recovering then", "if false then"),
                Mutant.named("promotion-unnoticed", "The name of the history is compared with the marker", "I1")
                        .editing(
                                "check_history.lua",
                                "begins = not replid or (here ~= replid and here ~= '?') or (kind == 'first' and distrusts)",
                                "begins = not replid or (kind == 'first' and distrusts)"),
                Mutant.named(
                                "former-name-counts",
                                "Only the present name of a history counts, not the name before",
                                "I1")
                        .editing(
                                "check_history.lua",
                                "string.find(info, here, named, true) == named + 14 then",
                                "string.find(info, here, 1, true) then"),
                Mutant.named("markers-forgotten", "A client sends the marker that it saw last", "I1")
                        .changing("redis.ServerHistory", "known", Behaviour.returning("")),
                Mutant.named("counter-not-at-clock", "The counter is raised to the clock", "I2")
                        .editing(
                                "fencing_tokens.lua",
                                "math.max(last + 1, micros, floor + 1)",
                                "math.max(last + 1, floor + 1)"),
                Mutant.named("block-overrun", "A grant hands over only the tokens of its block", "I2")
                        .changing("engine.Grant", "isUsedUp", Behaviour.returning(false)));
    }
}

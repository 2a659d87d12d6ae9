package io.github.lockstarter.simulation.mutant;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.simulation.episode.Plan;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules of detached locks: without each of them, an episode in which locks are detached violates an invariant. */
class TicketMutantsTests {

    private static final int MOST_EPISODES = 3_000;

    /** Seeds that killed them. */
    private static final Map<String, Long> KNOWN =
            Map.of("attach-any", 1L, "ticket-taken-over", 42L, "attach-in-young-history", 987L);

    static List<Mutant> mutants() {
        return List.of(
                Mutant.named("attach-any", "An attach replaces only the token of its ticket", "I1", "I4")
                        .editing(
                                "acquire.lua", "owner and string.match(owner, ' (.*)$') == replaced", "owner and true"),
                Mutant.named("ticket-taken-over", "The lock of a ticket is not taken over", "I1")
                        .editing("look.lua", "local heard = gone and counted[gone]", """
                                if not gone and string.find(owner, '(detached)', 1, true) then
                                  gone, label = string.match(owner, '^[%d@]+ ([0-9a-f]+):%d+(|.*)$')
                                  time, byReplicas = 200, ''
                                end
                                local heard = gone and counted[gone]"""),
                Mutant.named("attach-in-young-history", "No lock is attached in a young history", "I1", "I4")
                        .editing(
                                "acquire.lua",
                                "      owner = not isReplaced and (owner or '')\n",
                                "      owner, recovering = not isReplaced and (owner or ''), recovering and not"
                                        + " isReplaced\n"));
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void killsTheMutant(Mutant mutant) {
        LongStream known = LongStream.of(KNOWN.get(mutant.name()));
        LongStream seeds = LongStream.concat(known, LongStream.rangeClosed(1, MOST_EPISODES));
        Hunt hunt = Hunt.of(mutant, seeds, seed -> Plan.of(seed).withTickets());

        System.out.println(hunt);
        assertThat(hunt.kill())
                .as("%s is killed by one of %d episodes", mutant, MOST_EPISODES)
                .isPresent();
    }
}

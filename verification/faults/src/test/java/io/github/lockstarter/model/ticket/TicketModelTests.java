package io.github.lockstarter.model.ticket;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.model.ExplorationResult;
import io.github.lockstarter.model.Explorer;
import io.github.lockstarter.model.TransitionSystem;
import io.github.lockstarter.model.ticket.TicketClient.Phase;
import io.github.lockstarter.model.ticket.TicketServer.Token;
import io.github.lockstarter.model.ticket.TicketState.Place;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Detached locks, in every interleaving up to small bounds: one instance holds the lock, or the ticket has it, or it is
 * free; and two have it as soon as a rule is left out. The output has the numbers of states, and the shortest
 * violations.
 */
@Tag(Effort.FULL)
class TicketModelTests {

    private static final int MOST_STATES = 12_000_000;

    private static final TicketModel ONE_SERVER = TicketModel.of(2, 0, 0);
    private static final TicketModel PROMOTED = TicketModel.of(1, 0, 1);

    static List<TicketModel> configurations() {
        return List.of(ONE_SERVER, PROMOTED, TicketModel.of(2, 0, 1), TicketModel.of(1, 1, 1));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void oneInstanceOrTheTicketHasTheLock(TicketModel model) {
        ExplorationResult<TicketState, String> found = explored(model);
        System.out.printf("%s: %d states, depth %d, no violation%n", model, found.states(), found.depth());
        assertThat(found.foundViolation()).as(() -> path(found)).isFalse();
    }

    static Stream<Arguments> rulesLeftOut() {
        return Stream.of(
                Arguments.of(TicketRule.ATTACH_COMPARES_TOKENS, ONE_SERVER),
                Arguments.of(TicketRule.TICKET_HAS_ITS_OWN_TOKEN, ONE_SERVER),
                Arguments.of(TicketRule.DETACH_ENDS_THE_HOLD, ONE_SERVER),
                Arguments.of(TicketRule.TICKET_IS_NOT_TAKEN_OVER, ONE_SERVER),
                Arguments.of(TicketRule.DETACH_WAITS_FOR_THE_GRACE, PROMOTED),
                Arguments.of(TicketRule.ATTACH_WAITS_FOR_THE_GRACE, TicketModel.of(2, 0, 1)),
                Arguments.of(TicketRule.ATTACH_RESTORES_NOTHING, TicketModel.of(2, 0, 1)),
                Arguments.of(TicketRule.TICKET_HAS_NO_LONGER_LEASE, PROMOTED));
    }

    @ParameterizedTest
    @MethodSource("rulesLeftOut")
    void twoHaveTheLockWithoutTheRule(TicketRule rule, TicketModel model) {
        ExplorationResult<TicketState, String> found = explored(model.without(rule));
        System.out.printf(
                "%s: violated after %d steps, %d states%n%s%n%n",
                model.without(rule), found.depth(), found.states(), path(found));
        assertThat(found.foundViolation()).isTrue();
    }

    /** Else the model would exclude by never attaching. */
    @Test
    void anotherInstanceAttachesTheLockAfterAFailover() {
        ExplorationResult<TicketState, String> found =
                Explorer.explore(new Goal(PROMOTED), new TicketState.Numbered(), MOST_STATES);
        System.out.printf("%s%n%s%n", PROMOTED, path(found));
        assertThat(found.foundViolation()).isTrue();
    }

    /** Reached if B holds the lock at a promoted server. */
    private record Goal(TicketModel model) implements TransitionSystem<TicketState, String> {

        @Override
        public TicketState initial() {
            return model.initial();
        }

        @Override
        public void steps(TicketState state, BiConsumer<String, TicketState> found) {
            model.steps(state, found);
        }

        @Override
        public boolean isViolation(TicketState state) {
            return state.failovers() > 0
                    && state.client(Token.B).is(Phase.HOLDING)
                    && state.server(Place.MASTER).owner() == Token.B;
        }
    }

    private static ExplorationResult<TicketState, String> explored(TicketModel model) {
        return Explorer.explore(model, new TicketState.Numbered(), MOST_STATES);
    }

    private static String path(ExplorationResult<TicketState, String> found) {
        return found.counterexample().stream().map(ExplorationResult.Move::step).collect(Collectors.joining("; "));
    }
}

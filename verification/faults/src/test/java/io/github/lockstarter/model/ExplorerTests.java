package io.github.lockstarter.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class ExplorerTests {

    @Test
    void visitsEachStateOnce() {
        ExplorationResult<Integer, String> found = Explorer.explore(new Numbers(12, 99), 100);

        assertThat(found.states()).isEqualTo(12);
        assertThat(found.foundViolation()).isFalse();
    }

    @Test
    void reportsAShortestPath() {
        ExplorationResult<Integer, String> found = Explorer.explore(new Numbers(100, 11), 100);

        assertThat(found.counterexample())
                .extracting(ExplorationResult.Move::before, ExplorationResult.Move::step, ExplorationResult.Move::after)
                .startsWith(org.assertj.core.groups.Tuple.tuple(1, "add", 2))
                .endsWith(org.assertj.core.groups.Tuple.tuple(10, "add", 11))
                .hasSize(5);
    }

    @Test
    void refusesAnInfiniteSearch() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> Explorer.explore(new Numbers(1_000, -1), 100))
                .withMessageStartingWith("More than 100 states");
    }

    /** Numbers from 1 on: add one, or double; each below a bound. */
    private record Numbers(int bound, int violation) implements TransitionSystem<Integer, String> {

        @Override
        public Integer initial() {
            return 1;
        }

        @Override
        public void steps(Integer state, BiConsumer<String, Integer> found) {
            found.accept("add", Math.min(state + 1, bound));
            found.accept("double", Math.min(state * 2, bound));
        }

        @Override
        public boolean isViolation(Integer state) {
            return state == violation;
        }
    }
}

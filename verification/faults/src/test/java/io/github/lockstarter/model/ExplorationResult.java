package io.github.lockstarter.model;

import java.util.List;

/**
 * Result of an {@link Explorer}.
 *
 * @param states number of reached states
 * @param depth number of steps from the initial state to the farthest one
 * @param counterexample a shortest path from the initial state to a violation; empty if there is none
 */
public record ExplorationResult<S, T>(int states, int depth, List<Move<S, T>> counterexample) {

    /** One step of a path. */
    public record Move<S, T>(S before, T step, S after) {}

    public boolean foundViolation() {
        return !counterexample.isEmpty();
    }
}

package io.github.lockstarter.model;

import java.util.List;

/**
 * What an {@link Explorer} found.
 *
 * @param states how many states were reached
 * @param depth how many steps the farthest of them is away from the initial state
 * @param counterexample a shortest way to a violation, from the initial state on; empty if there is none
 */
public record Exploration<S, T>(int states, int depth, List<Move<S, T>> counterexample) {

    /**
     * One step of a way.
     *
     * @param before where it begins
     * @param step what happens
     * @param after where it leads
     */
    public record Move<S, T>(S before, T step, S after) {}

    public boolean foundViolation() {
        return !counterexample.isEmpty();
    }
}

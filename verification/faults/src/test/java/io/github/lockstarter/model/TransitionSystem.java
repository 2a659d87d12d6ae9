package io.github.lockstarter.model;

import java.util.function.BiConsumer;

/**
 * The transitions of each state.
 *
 * @param <S> a state; equal states are one
 * @param <T> a transition
 */
public interface TransitionSystem<S, T> {

    /** Where everything begins. */
    S initial();

    /** Passes each possible step of a state with its result. */
    void steps(S state, BiConsumer<T, S> found);

    /** Whether a state violates an invariant. */
    boolean isViolation(S state);
}

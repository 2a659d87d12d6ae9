package io.github.lockstarter.model;

import java.util.function.BiConsumer;

/**
 * What can happen, state by state.
 *
 * @param <S> a state; equal states are one
 * @param <T> what leads from one state to the next
 */
public interface TransitionSystem<S, T> {

    /** Where everything begins. */
    S initial();

    /** Tells each step that is possible in a state, and where it leads. */
    void steps(S state, BiConsumer<T, S> found);

    /** Whether a state is one that must never be reached. */
    boolean isViolation(S state);
}

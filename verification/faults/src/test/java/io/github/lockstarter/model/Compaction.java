package io.github.lockstarter.model;

/**
 * States as numbers of their parts: states are many, but their parts are few.
 *
 * @param <W> a state
 * @param <C> the same, small and quick to compare
 */
public interface Compaction<W, C> {

    /** The same for equal states. */
    C compact(W world);

    /** A state of which {@link #compact} has made this. */
    W world(C compact);
}

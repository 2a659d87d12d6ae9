package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.experiment.run.RunEvent;

/** Is told what happens in the experiment, on threads that it must not hold up. */
public interface ExperimentListener {

    /**
     * The stage is being set up or repaired.
     *
     * @param text one line
     */
    default void progressed(String text) {}

    /**
     * The state has changed.
     *
     * @param state what it is now
     */
    default void stateChanged(ExperimentState state) {}

    /**
     * Something happened in a run.
     *
     * @param event what
     */
    default void happened(RunEvent event) {}
}

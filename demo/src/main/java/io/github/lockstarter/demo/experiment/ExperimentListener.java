package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.experiment.run.RunEvent;

/** Receives the events of the experiment, on threads that it must not block. */
public interface ExperimentListener {

    /**
     * The deployment is being set up or repaired.
     *
     * @param text one line
     */
    default void progressed(String text) {}

    /**
     * The state has changed.
     *
     * @param state the new one
     */
    default void stateChanged(ExperimentState state) {}

    /**
     * Something happened in a run.
     *
     * @param event the event
     */
    default void happened(RunEvent event) {}
}

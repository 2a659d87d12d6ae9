package io.github.lockstarter.demo.experiment;

import io.github.lockstarter.demo.experiment.run.RunEvent;

/** Receives events of the experiment; must not block the calling threads. */
public interface ExperimentListener {

    default void progressed(String text) {}

    default void stateChanged(ExperimentState state) {}

    default void happened(RunEvent event) {}
}

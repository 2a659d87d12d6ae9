package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;

/** Receives the events of a deployment, on threads that it must not block. */
public interface DeploymentListener {

    /**
     * Something was set up, or failed and came back.
     *
     * @param text one line
     */
    default void progressed(String text) {}

    /** An instance came up, was paused or ended. */
    default void instancesChanged() {}

    /**
     * An instance reported an event.
     *
     * @param instance its name
     * @param event the event; its times are {@link System#nanoTime()} of this JVM
     */
    default void reported(String instance, InstanceEvent event) {}
}

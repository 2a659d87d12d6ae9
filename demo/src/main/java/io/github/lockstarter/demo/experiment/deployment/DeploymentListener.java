package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;

/** Receives events of a deployment; must not block the calling threads. */
public interface DeploymentListener {

    default void progressed(String text) {}

    /** An instance started, was paused or ended. */
    default void instancesChanged() {}

    /** An instance reported an event; its times are comparable with {@link System#nanoTime()} of this JVM. */
    default void reported(String instance, InstanceEvent event) {}
}

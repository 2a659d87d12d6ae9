package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;

/** Is told what happens on a stage, on threads that it must not hold up. */
public interface StageListener {

    /**
     * Something was set up, or failed and came back.
     *
     * @param text one line
     */
    default void progressed(String text) {}

    /** An instance came up, was paused or ended. */
    default void instancesChanged() {}

    /**
     * An instance told something.
     *
     * @param instance its name
     * @param event what; its times are {@link System#nanoTime()} of this JVM
     */
    default void told(String instance, InstanceEvent event) {}
}

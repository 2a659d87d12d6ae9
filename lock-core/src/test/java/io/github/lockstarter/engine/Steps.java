package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The possible next events. */
final class Steps {

    /**
     * An event that is possible for any engine in this state.
     *
     * @param subject the actor, or the answered command
     * @param predicate the action, or the answer
     * @param isDisturbance whether the callers get the lock one after the other without it
     */
    record Step(String subject, Object predicate, boolean isDisturbance, Consumer<ManualEngine> action) {

        @Override
        public String toString() {
            return (isDisturbance ? "! " : "  ") + subject + " -> " + predicate;
        }
    }

    private final List<Step> all = new ArrayList<>();

    void add(String subject, Object predicate, Consumer<ManualEngine> action) {
        all.add(new Step(subject, predicate, false, action));
    }

    void disturb(String subject, Object predicate, Consumer<ManualEngine> action) {
        all.add(new Step(subject, predicate, true, action));
    }

    List<Step> all() {
        return all;
    }
}

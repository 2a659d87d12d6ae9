package io.github.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What may happen next. */
final class Steps {

    /**
     * Something that may happen, to any engine in this state.
     *
     * @param subject who does something, or what is answered
     * @param predicate the deed, or the answer
     * @param isDisturbance whether it need not happen for the callers to get the lock one after the other
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

package io.github.lockstarter.engine;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the engine says what has no listener to go to: exceptions of somebody else's code. The only log of the engine. */
final class Faults {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private Faults() {}

    /** Runs the step; what it throws is logged and ends nothing. */
    static void guard(String what, Runnable step) {
        guard(what, step, e -> {});
    }

    /** Runs the step; what it throws is logged and handed to the remedy. */
    static void guard(String what, Runnable step, Consumer<Throwable> remedy) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            log.error("{} failed; the lock client goes on", what, e);
            remedy.accept(e);
        }
    }
}

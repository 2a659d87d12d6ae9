package io.github.lockstarter.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the engine says what has no listener to go to: exceptions of somebody else's code. The only log of the engine. */
final class Faults {

    private static final Logger log = LoggerFactory.getLogger(LockEngine.class);

    private Faults() {}

    /** Runs the step; what it throws is logged and ends nothing. */
    static void guard(String what, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            log.error("{} failed; the lock client goes on", what, e);
        }
    }
}

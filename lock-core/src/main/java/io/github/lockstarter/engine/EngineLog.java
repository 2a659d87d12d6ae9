package io.github.lockstarter.engine;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what no listener receives: exceptions of code that is not the engine's. The only log of the engine.
 */
final class EngineLog {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter.engine.LockEngine");

    private EngineLog() {}

    /** Runs the step; what it throws is logged and ends nothing. */
    static void guard(String what, Runnable step) {
        guard(what, Runnable::run, step);
    }

    /** As {@link #guard(String, Runnable)}, for a step on the hot path: no lambda has to hold the argument. */
    static <T> void guard(String what, Consumer<T> step, T argument) {
        try {
            step.accept(argument);
        } catch (RuntimeException | Error e) {
            report(what, e);
        }
    }

    /** Logs what an operator has to know and no listener receives. */
    static void warn(String message, Object argument) {
        try {
            log.warn(message, argument);
        } catch (RuntimeException | Error loggingFailed) {
            // As below.
        }
    }

    /** Logs what the step threw. */
    static void report(String what, Throwable failure) {
        try {
            log.error("{} failed; the lock client continues", what, failure);
        } catch (RuntimeException | Error loggingFailed) {
            // An appender that fails must not end what was to be saved from failing.
        }
    }
}

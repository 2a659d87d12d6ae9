package io.github.lockstarter.engine;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine's only log: exceptions of foreign code and warnings that no listener receives. */
final class EngineLog {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter.engine.LockEngine");

    private EngineLog() {}

    /** Runs the step; an exception is logged and suppressed. */
    static void guard(String what, Runnable step) {
        guard(what, Runnable::run, step);
    }

    /** {@link #guard(String, Runnable)} for the hot path: without a lambda that captures the argument. */
    static <T> void guard(String what, Consumer<T> step, T argument) {
        try {
            step.accept(argument);
        } catch (RuntimeException | Error e) {
            report(what, e);
        }
    }

    static void warn(String message, Object argument) {
        try {
            log.warn(message, argument);
        } catch (RuntimeException | Error loggingFailed) {
            // As in report.
        }
    }

    static void report(String what, Throwable failure) {
        try {
            log.error("{} failed; the lock client continues", what, failure);
        } catch (RuntimeException | Error loggingFailed) {
            // A failing appender must not break the caller.
        }
    }
}

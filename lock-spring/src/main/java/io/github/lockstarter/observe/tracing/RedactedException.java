package io.github.lockstarter.observe.tracing;

import java.io.Serial;

/**
 * Stands for what an acquisition or a section failed with where spans are not to show keys: tracers record messages,
 * and those of our exceptions name the key, as may those of their causes. Has the type, the outcome and the stack of
 * the original.
 */
final class RedactedException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    RedactedException(Throwable original, String outcome) {
        super(original.getClass().getName() + " (" + outcome + ")", null, false, true);
        setStackTrace(original.getStackTrace());
    }
}

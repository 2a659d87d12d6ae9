package io.github.lockstarter.rewrite;

/** A lock has no exact counterpart until the code is changed. */
final class UntranslatableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String advice;

    UntranslatableException(String advice) {
        super(advice);
        this.advice = advice;
    }

    /** What to do. */
    String advice() {
        return advice;
    }
}

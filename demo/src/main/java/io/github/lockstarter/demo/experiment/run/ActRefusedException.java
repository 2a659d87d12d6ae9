package io.github.lockstarter.demo.experiment.run;

/** Nothing was done: there is nothing that the act could hit just now. */
public final class ActRefusedException extends RuntimeException {

    ActRefusedException(String message) {
        super(message);
    }

    ActRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}

package io.github.lockstarter.demo.experiment;

/** That cannot be done as the experiment stands; the message says what to do first. */
public final class ExperimentConflictException extends RuntimeException {

    ExperimentConflictException(String message) {
        super(message);
    }
}

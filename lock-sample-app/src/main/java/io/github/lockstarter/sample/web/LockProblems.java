package io.github.lockstarter.sample.web;

import io.github.lockstarter.LockLostException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Maps failures that the starter leaves to the application: a lost lock, and no answer to the application's own Redis
 * commands. The responses name no key, holder or server, which the log does.
 */
@RestControllerAdvice
class LockProblems {

    @ExceptionHandler
    ProblemDetail lost(LockLostException failure) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(
                HttpStatus.INTERNAL_SERVER_ERROR, "The request may have been carried out in part.");
        problem.setTitle("Lock lost while working");
        return problem;
    }

    @ExceptionHandler({DataAccessResourceFailureException.class, QueryTimeoutException.class})
    ProblemDetail dataUnavailable(Exception failure) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "The data cannot be read now.");
    }
}

package io.github.lockstarter.sample.web;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import java.time.Duration;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Maps lock failures to HTTP statuses: 409 if another request holds the lock, 503 if the store does not answer or is
 * recovering, and 500 if the lock was lost and part of the work may already be done.
 */
@RestControllerAdvice
class LockProblems {

    /** Suggested retry interval while Redis does not answer. */
    private static final Duration OUTAGE = Duration.ofSeconds(4);

    @ExceptionHandler
    ProblemDetail notAcquired(LockNotAcquiredException failure) {
        return problem(HttpStatus.CONFLICT, "Locked by another request", failure);
    }

    @ExceptionHandler
    ProblemDetail lost(LockLostException failure) {
        return problem(HttpStatus.INTERNAL_SERVER_ERROR, "Lock lost while working", failure);
    }

    @ExceptionHandler({LockBackendException.class, LockInterruptedException.class})
    ResponseEntity<ProblemDetail> unavailable(LockException failure) {
        Duration retryAfter =
                failure instanceof LockStoreRecoveringException recovering ? recovering.retryAfter() : OUTAGE;
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfter.toSeconds() + 1))
                .body(problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks unavailable", failure));
    }

    @ExceptionHandler({DataAccessResourceFailureException.class, QueryTimeoutException.class})
    ProblemDetail dataUnavailable(Exception failure) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "Redis did not answer; see the application's log and /actuator/health");
    }

    private static ProblemDetail problem(HttpStatus status, String title, LockException failure) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, failure.getMessage());
        problem.setTitle(title);
        problem.setProperty("lock", failure.key());
        return problem;
    }
}

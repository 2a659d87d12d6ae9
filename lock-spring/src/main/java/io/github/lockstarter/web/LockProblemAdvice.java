package io.github.lockstarter.web;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import java.time.Duration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Maps lock exceptions of Spring MVC and WebFlux requests to problem details (RFC 9457) with {@code Retry-After}. Omits
 * the key and its holder, which the messages contain. Handlers of the application take precedence.
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
public class LockProblemAdvice {

    private final Duration retryAfter;

    /**
     * Creates the advice.
     *
     * @param retryAfter used unless the exception has a time
     */
    public LockProblemAdvice(Duration retryAfter) {
        this.retryAfter = retryAfter;
    }

    /**
     * Another owner holds the lock.
     *
     * @param failure exception
     * @return 409
     */
    @ExceptionHandler
    public ResponseEntity<ProblemDetail> notAcquired(LockNotAcquiredException failure) {
        return problem(
                HttpStatus.CONFLICT,
                "Locked by another request",
                "Another request is using this resource. Try again.",
                retryAfter);
    }

    /**
     * The lock's state is unknown.
     *
     * @param failure exception
     * @return 503
     */
    @ExceptionHandler
    public ResponseEntity<ProblemDetail> unavailable(LockBackendException failure) {
        Duration known =
                failure instanceof LockStoreRecoveringException recovering ? recovering.retryAfter() : retryAfter;
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks unavailable", "Locks cannot be acquired now.", known);
    }

    private static ResponseEntity<ProblemDetail> problem(
            HttpStatus status, String title, String detail, Duration retryAfter) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setTitle(title);
        long seconds = retryAfter.plusSeconds(1).minusNanos(1).toSeconds(); // rounded up
        return ResponseEntity.status(status)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
                .body(problem);
    }
}

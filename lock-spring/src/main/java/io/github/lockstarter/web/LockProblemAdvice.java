package io.github.lockstarter.web;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
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
 * the key and its holder, which the messages contain. Handlers of the application take precedence. Other exceptions are
 * left to Spring, even if a lock exception is their cause: the work may be half done.
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
     * @param thrown exception
     * @param failure the same, or in a {@link CompletionException}
     * @return 409
     * @throws Exception the thrown one, if it is another
     */
    @ExceptionHandler(LockNotAcquiredException.class)
    public ResponseEntity<ProblemDetail> notAcquired(Exception thrown, LockNotAcquiredException failure)
            throws Exception {
        declineUnless(failure, thrown);
        return problem(
                HttpStatus.CONFLICT,
                "Locked by another request",
                "Another request is using this resource. Try again.",
                retryAfter);
    }

    /**
     * The lock's state is unknown.
     *
     * @param thrown exception
     * @param failure the same, or in a {@link CompletionException}
     * @return 503
     * @throws Exception the thrown one, if it is another
     */
    @ExceptionHandler(LockBackendException.class)
    public ResponseEntity<ProblemDetail> unavailable(Exception thrown, LockBackendException failure) throws Exception {
        declineUnless(failure, thrown);
        Duration known =
                failure instanceof LockStoreRecoveringException recovering ? recovering.retryAfter() : retryAfter;
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks unavailable", "Locks cannot be acquired now.", known);
    }

    /** Spring also finds handlers by a cause. If this one throws, it asks no other advice, but the next resolver. */
    private static void declineUnless(Exception failure, Exception thrown) throws Exception {
        if (thrown != failure && !(thrown instanceof CompletionException && thrown.getCause() == failure)) {
            throw thrown;
        }
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

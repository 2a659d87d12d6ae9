package io.github.lockstarter.sample.web;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.HandlerMethodValidationException;

/** Describes invalid input, which Spring reports only as "Validation failure". */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class InputProblems {

    @ExceptionHandler
    ProblemDetail impossibleParameter(HandlerMethodValidationException failure) {
        return badRequest(
                failure.getParameterValidationResults().stream().flatMap(result -> result.getResolvableErrors().stream()
                        .map(error ->
                                result.getMethodParameter().getParameterName() + " " + error.getDefaultMessage())));
    }

    @ExceptionHandler
    ProblemDetail impossibleBody(MethodArgumentNotValidException failure) {
        return badRequest(
                failure.getFieldErrors().stream().map(error -> error.getField() + " " + error.getDefaultMessage()));
    }

    private static ProblemDetail badRequest(Stream<String> errors) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST, errors.sorted().collect(Collectors.joining("; ")));
    }
}

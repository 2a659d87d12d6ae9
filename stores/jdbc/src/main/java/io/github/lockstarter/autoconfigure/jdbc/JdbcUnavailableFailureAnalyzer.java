package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.jdbc.JdbcUnavailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** A database that cannot keep locks: says what it lacks, and what to change. */
final class JdbcUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<JdbcUnavailableException> {

    private static final String START_ANYWAY = ". To start anyway, set distributed-lock.jdbc.required-at-start=false";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, JdbcUnavailableException cause) {
        // Without a cause nothing was tried: waiting would not help.
        String action = cause.getCause() == null ? cause.remedy() : cause.remedy() + START_ANYWAY;
        return new FailureAnalysis(cause.getMessage(), action, cause);
    }
}

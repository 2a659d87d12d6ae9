package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.redis.connector.RedisUnavailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** A Redis that cannot keep locks: says where it is looked for, and what to change. */
final class RedisUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<RedisUnavailableException> {

    private static final String START_ANYWAY =
            ". To start anyway and connect later, set distributed-lock.redis.required-at-start=false";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RedisUnavailableException cause) {
        // Without a cause nothing was tried: waiting would not help.
        String action = cause.getCause() == null ? cause.remedy() : cause.remedy() + START_ANYWAY;
        return new FailureAnalysis(cause.getMessage(), action, cause);
    }
}

package io.github.lockstarter.sample.redis;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where the sample cannot bring its own Redis, such as on Windows. */
class NoRedisFailureAnalyzer extends AbstractFailureAnalyzer<NoRedisException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoRedisException cause) {
        return new FailureAnalysis(
                cause.getMessage() + ".",
                "Start a Redis and name it with --spring.data.redis.host=… and --spring.data.redis.port=… (default "
                        + "localhost:6379), for instance: docker run --rm -p 6379:6379 redis:7",
                cause);
    }
}

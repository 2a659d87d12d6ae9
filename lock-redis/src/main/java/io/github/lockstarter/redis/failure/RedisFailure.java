package io.github.lockstarter.redis.failure;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A failed command.
 *
 * @param problem without lock tokens
 */
public record RedisFailure(FailureEffect effect, String problem, String remedy, Throwable cause) {

    public enum FailureEffect {
        NONE,
        /** None, for a reason that may pass soon. */
        NOT_YET,
        UNKNOWN
    }

    /** Frames to keep of client and network exceptions, which show only the client's own threads. */
    private static final int FRAMES = 3;

    /**
     * Omits logins, and truncates stack traces, which logs would repeat for each failed call. Types, messages and first
     * frames stay.
     */
    public RedisFailure {
        problem = ExceptionCauses.withoutLogins(problem);
        cause = ExceptionCauses.withoutLogins(cause);
        @Nullable Throwable each = cause;
        for (int depth = 0; each != null && depth < 10; depth++) {
            if (each instanceof RedisException || each instanceof IOException || each instanceof CompletionException) {
                StackTraceElement[] frames = each.getStackTrace();
                each.setStackTrace(Arrays.copyOf(frames, Math.min(FRAMES, frames.length)));
            }
            each = each.getCause();
        }
    }

    /** For operators; lock callers get the problem alone. */
    public String reason() {
        return problem + ". " + remedy;
    }

    /** For a command that the client may have sent twice: the first copy may have been executed. */
    public RedisFailure afterReconnect() {
        return new RedisFailure(FailureEffect.UNKNOWN, problem, remedy, cause);
    }
}

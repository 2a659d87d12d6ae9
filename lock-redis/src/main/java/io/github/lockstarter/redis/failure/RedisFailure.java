package io.github.lockstarter.redis.failure;

import io.lettuce.core.RedisException;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Why a command did not succeed.
 *
 * @param effect what it may have done on the server
 * @param problem what failed, without passwords and lock tokens
 * @param remedy what to do
 * @param cause the client's failure
 */
public record RedisFailure(Effect effect, String problem, String remedy, Throwable cause) {

    /** What a failed command may have done on the server. */
    public enum Effect {
        /** Certainly nothing. */
        NONE,
        /** Certainly nothing, for a reason that may be over in a moment. */
        NOT_YET,
        /** Nothing or everything. */
        UNKNOWN
    }

    /** Of the client's and the network's exceptions, whose frames are those of the client's own threads. */
    private static final int FRAMES = 3;

    /** Cuts what a log would repeat for each call that fails. Types, messages and first frames of all causes stay. */
    public RedisFailure {
        @Nullable Throwable each = cause;
        for (int depth = 0; each != null && depth < 10; depth++) {
            if (each instanceof RedisException || each instanceof IOException || each instanceof CompletionException) {
                StackTraceElement[] frames = each.getStackTrace();
                each.setStackTrace(Arrays.copyOf(frames, Math.min(FRAMES, frames.length)));
            }
            each = each.getCause();
        }
    }

    /** Both sentences, for operators. Callers that work are told the problem alone. */
    public String reason() {
        return problem + ". " + remedy;
    }

    /** The same failure of a command that the client may have sent twice: the first copy may have been executed. */
    public RedisFailure afterReconnect() {
        return new RedisFailure(Effect.UNKNOWN, problem, remedy, cause);
    }
}

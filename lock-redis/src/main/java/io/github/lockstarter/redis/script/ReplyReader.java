package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.failure.RedisFailure;
import org.jspecify.annotations.Nullable;

/**
 * What a script's reply, or the lack of one, means to the caller.
 *
 * @param <T> type of the script's reply
 * @param <R> type of the result
 */
public interface ReplyReader<T, R> {

    /** The script ran. */
    R of(T reply);

    /** It ran, perhaps a second time: the client sent it again after a connection broke. */
    default R ofRepeated(T reply) {
        return of(reply);
    }

    /** The error of the server that the script caught and answered with; null if there was none. */
    default @Nullable Throwable refusalIn(T reply) {
        return null;
    }

    /** It did not, or nobody knows. */
    R failed(RedisFailure failure);
}

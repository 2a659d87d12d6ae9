package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.failure.RedisFailure;
import java.util.function.BiFunction;

/**
 * Reads the reply of a script that returns a status.
 *
 * @param done the result when the token had the lock
 * @param notHeld the result when it had not
 * @param unknown the result of a failure: its reason and its cause
 */
public record StatusAnswer<R>(R done, R notHeld, BiFunction<String, Throwable, R> unknown)
        implements ReplyReader<Long, R> {

    @Override
    public R of(Long status) {
        return status == LockCommands.NOT_HELD ? notHeld : done;
    }

    @Override
    public R failed(RedisFailure failure) {
        return unknown.apply(failure.problem(), failure.cause());
    }
}

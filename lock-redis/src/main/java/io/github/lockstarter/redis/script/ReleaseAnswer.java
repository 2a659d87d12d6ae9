package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.spi.ReleaseResult;

/** Reads the reply of the release script. */
public final class ReleaseAnswer implements ReplyReader<Long, ReleaseResult> {

    @Override
    public ReleaseResult of(Long status) {
        if (status == LockCommands.NOT_HELD) {
            return new ReleaseResult.NotHeld();
        }
        return new ReleaseResult.Released(status == LockCommands.SIGNALLED ? 1 : 0);
    }

    @Override
    public ReleaseResult failed(RedisFailure failure) {
        return new ReleaseResult.Unknown(failure.problem(), failure.cause());
    }
}

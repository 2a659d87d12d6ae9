package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redlock.Vote;
import io.github.lockstarter.spi.AcquireResult;
import java.util.OptionalLong;

/**
 * Reads the reply of the acquire script to who counts votes.
 *
 * @param result what it says but for the time
 */
public record VoteAnswer(ReplyReader<AcquireReply, AcquireResult> result) implements ReplyReader<AcquireReply, Vote> {

    @Override
    public Vote of(AcquireReply reply) {
        return new Vote(result.of(reply), reply.micros());
    }

    @Override
    public Vote failed(RedisFailure failure) {
        return new Vote(result.failed(failure), OptionalLong.empty());
    }
}

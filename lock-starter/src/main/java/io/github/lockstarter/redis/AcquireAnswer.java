package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.spi.AcquireResult;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads the reply of the acquire script.
 *
 * @param keys what was acquired, for messages
 */
record AcquireAnswer(LockKeys keys) implements Answer<AcquireReply, AcquireResult> {

    @Override
    public AcquireResult of(AcquireReply reply) {
        if (reply.status() == AcquireReply.GRANTED) {
            return new AcquireResult.Granted(reply.value(), reply.number());
        }
        if (reply.status() == AcquireReply.CONTENDED) {
            return new AcquireResult.Contended(remaining(reply.value()), reply.number());
        }
        if (reply.status() == AcquireReply.WRONG_TYPE) {
            return wrongType(Math.toIntExact(reply.value()));
        }
        throw new IllegalStateException("Unknown status " + reply.status());
    }

    @Override
    public AcquireResult failed(RedisFailure failure) {
        return switch (failure.effect()) {
            case NONE -> new AcquireResult.Rejected(failure.reason(), failure.cause());
            case NOT_YET -> new AcquireResult.Unavailable(failure.reason(), failure.cause());
            case UNKNOWN -> new AcquireResult.Unknown(failure.reason(), failure.cause());
        };
    }

    private static Optional<Duration> remaining(long millis) {
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    private AcquireResult wrongType(int position) {
        String subject =
                switch (position) {
                    case 1 -> "'" + keys.lock() + "' holds another type than the string that a lock is";
                    case 2 -> "'" + keys.fence() + "' holds another type than the string of the last fencing token";
                    default -> "'" + keys.waiters() + "' holds another type than the sorted set of the waiters";
                };
        return new AcquireResult.Rejected(
                "Redis key " + subject + ", so somebody else uses it. Look at it with TYPE, then delete it or choose"
                        + " another distributed-lock.key-prefix",
                new RedisCommandExecutionException("WRONGTYPE KEYS[" + position + "]"));
    }
}

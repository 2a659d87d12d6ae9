package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.RedisFailure.Effect;
import io.github.lockstarter.spi.AcquireResult;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads the reply of the acquire script.
 *
 * @param keys what was acquired, for messages
 */
record AcquireAnswer(LockKeys keys) implements Answer<List<Long>, AcquireResult> {

    private static final int GRANTED = 1;
    private static final int CONTENDED = 0;
    private static final int WRONG_TYPE = -1;

    @Override
    public AcquireResult of(List<Long> reply) {
        long value = reply.get(1);
        return switch (reply.get(0).intValue()) {
            case GRANTED -> new AcquireResult.Granted(value, reply.get(2));
            case CONTENDED -> new AcquireResult.Contended(remaining(value), reply.get(2));
            case WRONG_TYPE -> wrongType(Math.toIntExact(value));
            default -> throw new IllegalStateException("Unknown status " + reply.get(0));
        };
    }

    @Override
    public AcquireResult failed(RedisFailure failure) {
        return failure.effect() == Effect.NONE
                ? new AcquireResult.Rejected(failure.reason(), failure.cause())
                : new AcquireResult.Unknown(failure.reason(), failure.cause());
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

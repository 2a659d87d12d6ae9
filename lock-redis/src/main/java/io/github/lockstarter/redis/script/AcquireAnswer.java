package io.github.lockstarter.redis.script;

import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the reply of the acquire script.
 *
 * @param keys what was acquired, for messages
 * @param history what the reply may tell more of; null if histories do not matter
 */
public record AcquireAnswer(LockKeys keys, @Nullable ServerHistory history)
        implements ReplyReader<AcquireReply, AcquireResult> {

    @Override
    public AcquireResult of(AcquireReply reply) {
        if (history != null) {
            history.learn(reply.marker());
        }
        if (reply.status() == AcquireReply.GRANTED) {
            return new AcquireResult.Granted(reply.value(), reply.number());
        }
        if (reply.status() == AcquireReply.CONTENDED) {
            return new AcquireResult.Contended(
                    remaining(reply.value()),
                    reply.number(),
                    Optional.of(reply.holder()).filter(text -> !text.isEmpty()).map(LockToken::holderOf));
        }
        if (reply.status() == AcquireReply.RECOVERING && history != null) {
            Duration left = Duration.ofMillis(reply.value());
            RecoveryStarted recovery = history.recovers(left);
            return new AcquireResult.Recovering(left, recovery.problem(), recovery.remedy());
        }
        if (reply.status() == AcquireReply.WRONG_TYPE) {
            return wrongType(Math.toIntExact(reply.value()));
        }
        throw new IllegalStateException("Unknown status " + reply.status());
    }

    @Override
    public AcquireResult failed(RedisFailure failure) {
        return switch (failure.effect()) {
            case NONE -> new AcquireResult.Rejected(failure.problem(), failure.cause());
            case NOT_YET -> new AcquireResult.Unavailable(failure.problem(), failure.cause());
            case UNKNOWN -> new AcquireResult.Unknown(failure.problem(), failure.cause());
        };
    }

    private String historyKey() {
        return history == null ? "" : history.key();
    }

    private static Optional<Duration> remaining(long millis) {
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    private AcquireResult wrongType(int position) {
        String subject =
                switch (position) {
                    case 1 -> "'" + keys.lock() + "' holds another type than the string of a lock";
                    case 2 -> "'" + keys.fence() + "' holds another type than the string of the last fencing token";
                    case 4 -> "'" + historyKey() + "' holds another type than the string of a history marker";
                    default -> "'" + keys.waiters() + "' holds another type than the sorted set of the waiters";
                };
        return new AcquireResult.Rejected(
                "Redis key " + subject + ", so another program uses it. Check it with TYPE, then delete it or choose"
                        + " another distributed-lock.key-prefix",
                new RedisCommandExecutionException("WRONGTYPE KEYS[" + position + "]"));
    }
}

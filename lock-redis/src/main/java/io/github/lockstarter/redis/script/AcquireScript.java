package io.github.lockstarter.redis.script;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.Milliseconds;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.redlock.Vote;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls of the acquire script, and the results that its replies stand for. */
public final class AcquireScript {

    /** In place of the name of a lock that is the tag. */
    private static final String TAG_IS_NAME = "=";

    /** Makes the script note the time with the lock, and return it. */
    private static final String TIMED = "time";

    /** How many arguments are of a lock that is asked for alone. */
    private static final int OF_ONE = 3;

    private AcquireScript() {}

    /**
     * One call for attempts of locks that share a history. Several ask for one fencing token each, and for nothing
     * else. Its reply has that of each; that to one which asks for more is the reply.
     *
     * @param answers what each is for
     */
    public static ScriptCall<List<Object>> acquire(List<AcquireCommand> commands, List<Answer> answers) {
        return call(commands, answers, commands.get(0).atLeast().isZero() ? ScriptCall.ABSENT : TIMED);
    }

    /** As {@link #acquire}, of one lock, and the reply has the time. */
    public static ScriptCall<List<Object>> vote(AcquireCommand command, Answer answer) {
        return call(List.of(command), List.of(answer), TIMED);
    }

    private static ScriptCall<List<Object>> call(List<AcquireCommand> commands, List<Answer> answers, String timed) {
        int count = commands.size();
        ServerHistory history = answers.get(0).history();
        String[] keys = new String[2 * count + 3];
        String[] arguments = new String[3 + 4 * count + OF_ONE];
        Arrays.fill(arguments, ScriptCall.ABSENT);
        arguments[0] = answers.get(0).known();
        arguments[1] = history.terms().graceMillis();
        Duration patience = Duration.ZERO;
        for (int i = 0; i < count; i++) {
            AcquireCommand command = commands.get(i);
            LockKeys lock = answers.get(i).keys();
            Waiting waiting = command.waiting().orElse(null);
            keys[i] = lock.lock();
            keys[count + i] = lock.waiters();
            arguments[3 + 4 * i] = command.token().value();
            arguments[4 + 4 * i] = Milliseconds.text(command.lease());
            arguments[5 + 4 * i] = Long.toString(command.fencingFloor());
            arguments[6 + 4 * i] =
                    waiting == null ? ScriptCall.ABSENT : lock.name().isEmpty() ? TAG_IS_NAME : lock.name();
            patience = waiting == null || waiting.patience().compareTo(patience) < 0 ? patience : waiting.patience();
        }
        arguments[2] = patience.isZero() ? ScriptCall.ABSENT : Milliseconds.text(patience);
        AcquireCommand first = commands.get(0);
        if (!asksForALockAlone(first) || !timed.isEmpty()) {
            int from = 3 + 4 * count;
            arguments[from] = Integer.toString(first.fencingTokens());
            arguments[from + 1] = first.waiting()
                    .filter(waiting -> waiting.position() != Waiting.NEW)
                    .map(waiting -> Long.toString(waiting.position()))
                    .orElse(ScriptCall.ABSENT);
            arguments[from + 2] = timed;
        }
        keys[2 * count] = answers.get(0).keys().fence();
        keys[2 * count + 1] = history.key();
        keys[2 * count + 2] = history.checkedKey();
        return ScriptCall.ofList(LockScript.ACQUIRE, keys, ScriptCall.trimmed(arguments));
    }

    /** Whether an attempt asks for a lock and nothing else, so that one call may carry it with others. */
    public static boolean asksForALockAlone(AcquireCommand command) {
        return command.fencingTokens() == 1
                && command.atLeast().isZero()
                && (command.waiting().isEmpty() || command.waiting().get().position() == Waiting.NEW);
    }

    /** What the server said to one of the attempts, if it refused it; null if it refused none. */
    public static @Nullable Throwable refusalIn(List<Object> replies) {
        return replies.stream()
                .map(Reply::of)
                .filter(Reply::isRefusal)
                .findFirst()
                .map(refusal -> new RedisCommandExecutionException(refusal.marker()))
                .orElse(null);
    }

    /**
     * Reads the reply to one attempt.
     *
     * @param keys what was acquired, for messages
     * @param history what the reply may tell more of
     * @param known the marker of it that the attempt says; empty if it says none
     * @param failures says what a refusal means
     * @param acknowledging takes what is to be acknowledged before the lock is taken over; returns at once
     */
    public record Answer(
            LockKeys keys,
            ServerHistory history,
            String known,
            RedisExceptionTranslator failures,
            Consumer<String> acknowledging)
            implements Reader<List<Object>, AcquireResult> {

        /** The answer to an attempt that is made now. */
        public static Answer to(
                LockKeys keys,
                ServerHistory history,
                RedisExceptionTranslator failures,
                Consumer<String> acknowledging) {
            return new Answer(keys, history, history.known(), failures, acknowledging);
        }

        /** The answer to an attempt for a lock that is not taken over. */
        public static Answer to(LockKeys keys, ServerHistory history, RedisExceptionTranslator failures) {
            return to(keys, history, failures, unacknowledged -> {});
        }

        @Override
        public AcquireResult of(List<Object> parts) {
            return of(Reply.of(parts), false);
        }

        /**
         * The result.
         *
         * @param isRepeated whether the script ran perhaps a second time
         */
        public AcquireResult of(Reply reply, boolean isRepeated) {
            if (reply.isRefusal()) {
                RedisFailure refusal = failures.ofError(reply.marker());
                return failed(isRepeated ? refusal.afterReconnect() : refusal);
            }
            history.learn(reply.marker());
            if (reply.status() == Reply.GRANTED) {
                return new AcquireResult.Granted(
                        reply.value(),
                        reply.number(),
                        reply.owner(),
                        reply.marker().isEmpty() ? known : reply.marker());
            }
            if (reply.status() == Reply.CONTENDED) {
                if (!reply.unacknowledged().isEmpty()) {
                    acknowledging.accept(reply.unacknowledged());
                }
                return new AcquireResult.Contended(
                        remaining(reply.value()), reply.number(), reply.owner(), reply.isKept());
            }
            if (reply.status() == Reply.RECOVERING) {
                Duration left = Duration.ofMillis(reply.value());
                RecoveryStarted recovery = history.recovers(left);
                return new AcquireResult.Recovering(left, recovery.problem());
            }
            if (reply.status() == Reply.WRONG_TYPE) {
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

        private static Optional<Duration> remaining(long millis) {
            return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        }

        private AcquireResult wrongType(int position) {
            String subject =
                    switch (position) {
                        case 1 -> "'" + keys.lock() + "' holds another type than the string of a lock";
                        case 2 -> "'" + keys.fence() + "' holds another type than the string of the fencing counter";
                        case 4 -> "'" + history.key() + "' holds another type than the string of a history marker";
                        default -> "'" + keys.waiters() + "' holds another type than the sorted set of the waiters";
                    };
            return new AcquireResult.Rejected(
                    "Redis key " + subject
                            + ", so another program uses it. Check it with TYPE, then delete it or choose"
                            + " another distributed-lock.key-prefix",
                    new RedisCommandExecutionException("WRONGTYPE"));
        }
    }

    /**
     * Reads the reply to {@link #vote}.
     *
     * @param answer what it says but for the time
     */
    public record VoteAnswer(Answer answer) implements Reader<List<Object>, Vote> {

        @Override
        public Vote of(List<Object> parts) {
            return new Vote(answer.of(parts), Reply.of(parts).micros());
        }

        @Override
        public Vote failed(RedisFailure failure) {
            return new Vote(answer.failed(failure), OptionalLong.empty());
        }
    }

    /**
     * What the acquire script says to one attempt.
     *
     * @param status whether it granted the lock
     * @param value first fencing token, remaining lease, when to try again, or position of the key that is wrong
     * @param number other instances in the queue, or position in it
     * @param marker of the server's history; empty if it is the caller's
     * @param holder the owner of the lock, if it is another one and its token names it, or the one that it was taken
     *     over from, or that it is kept; else empty
     * @param unacknowledged what is to be acknowledged before the lock is taken over; else empty
     * @param micros the server's clock, in microseconds; empty if it was not asked for
     */
    public record Reply(
            long status,
            long value,
            long number,
            String marker,
            String holder,
            String unacknowledged,
            OptionalLong micros) {

        /** The status of a grant. */
        static final long GRANTED = 1;

        /** The status when another owner has the lock. */
        static final long CONTENDED = 0;

        /** The status when the lock is free, and may have been forgotten. */
        static final long RECOVERING = 2;

        /** The status when a key holds another type. */
        static final long WRONG_TYPE = -1;

        /** The status when the server refused; the marker is what it said. */
        static final long REFUSED = -2;

        private static final int NUMBERS = 3;

        /** Whether the server refused, and the other attempts of the call have results of their own. */
        public boolean isRefusal() {
            return status == REFUSED;
        }

        /** Whether the lock is kept for the rest of its minimum time. */
        boolean isKept() {
            return holder.equals(ReleaseScript.KEPT);
        }

        /** Who has the lock, or had it before the take-over; empty if there is no owner, or its token names none. */
        Optional<LockHolder> owner() {
            return holder.isEmpty() || isKept() ? Optional.empty() : Optional.of(LockToken.holderOf(holder));
        }

        /**
         * Reads the reply to one attempt: a bare number for a grant that nobody waits for, or three numbers,
         * perhaps a marker, a holder and what is to be acknowledged, and then perhaps the time; or a list of only that.
         */
        public static Reply of(Object said) {
            if (said instanceof Long fencingToken) {
                return new Reply(GRANTED, fencingToken, 0, "", "", "", OptionalLong.empty());
            }
            List<?> parts = (List<?>) said;
            if (parts.size() == 1) {
                return of(parts.get(0));
            }
            int end = parts.size();
            OptionalLong micros = end > NUMBERS && parts.get(end - 1) instanceof Long time
                    ? OptionalLong.of(time)
                    : OptionalLong.empty();
            List<?> texts = parts.subList(NUMBERS, micros.isPresent() ? end - 1 : end);
            return new Reply(
                    (Long) parts.get(0),
                    (Long) parts.get(1),
                    (Long) parts.get(2),
                    text(texts, 0),
                    text(texts, 1),
                    text(texts, 2),
                    micros);
        }

        private static String text(List<?> texts, int place) {
            return place < texts.size() ? (String) texts.get(place) : "";
        }
    }
}

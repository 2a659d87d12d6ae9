package io.github.lockstarter.redis.script;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
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
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import java.nio.ByteBuffer;
import java.time.Duration;
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

    private AcquireScript() {}

    /** An attempt whose reply this answer reads. */
    public static ScriptCall<Reply> acquire(AcquireCommand command, Answer answer) {
        return call(command, answer, command.atLeast().isZero() ? ScriptCall.ABSENT : TIMED);
    }

    /** As {@link #acquire}, and the reply has the time. */
    public static ScriptCall<Reply> vote(AcquireCommand command, Answer answer) {
        return call(command, answer, TIMED);
    }

    /**
     * One call for attempts of locks that share a history, each of which asks for one fencing token, and names no
     * position. Its reply has that of each.
     *
     * @param answers what each is for
     */
    public static ScriptCall<List<Object>> batch(List<AcquireCommand> commands, List<Answer> answers) {
        int count = commands.size();
        ServerHistory history = answers.get(0).history();
        String[] keys = new String[2 * count + 3];
        String[] arguments = new String[3 + 4 * count];
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
        keys[2 * count] = answers.get(0).keys().fence();
        keys[2 * count + 1] = history.key();
        keys[2 * count + 2] = history.checkedKey();
        return new ScriptCall<>(
                LockScript.ACQUIRE_BATCH, () -> new NestedMultiOutput<>(StringCodec.UTF8), keys, arguments);
    }

    private static ScriptCall<Reply> call(AcquireCommand command, Answer answer, String timed) {
        return new ScriptCall<>(
                LockScript.ACQUIRE,
                Output::new,
                keysOfGrant(answer.keys(), answer.history()),
                arguments(command, answer, timed));
    }

    private static String[] keysOfGrant(LockKeys keys, ServerHistory history) {
        return new String[] {keys.lock(), keys.fence(), keys.waiters(), history.key(), history.checkedKey()};
    }

    private static String[] arguments(AcquireCommand command, Answer answer, String timed) {
        Waiting waiting = command.waiting().orElse(null);
        return ScriptCall.trimmed(
                command.token().value(),
                Milliseconds.text(command.lease()),
                Long.toString(command.fencingFloor()),
                Integer.toString(command.fencingTokens()),
                answer.known(),
                answer.history().terms().graceMillis(),
                waiting == null ? ScriptCall.ABSENT : Milliseconds.text(waiting.patience()),
                waiting == null || waiting.position() == Waiting.NEW
                        ? ScriptCall.ABSENT
                        : Long.toString(waiting.position()),
                waiting == null ? ScriptCall.ABSENT : answer.keys().name(),
                timed);
    }

    /**
     * Reads the reply of the acquire script.
     *
     * @param keys what was acquired, for messages
     * @param history what the reply may tell more of
     * @param known the marker of it that the attempt says; empty if it says none
     * @param acknowledging takes what is to be acknowledged before the lock is taken over; returns at once
     */
    public record Answer(LockKeys keys, ServerHistory history, String known, Consumer<String> acknowledging)
            implements Reader<Reply, AcquireResult> {

        /** The answer to an attempt that is made now. */
        public static Answer to(LockKeys keys, ServerHistory history, Consumer<String> acknowledging) {
            return new Answer(keys, history, history.known(), acknowledging);
        }

        /** The answer to an attempt for a lock that is not taken over. */
        public static Answer to(LockKeys keys, ServerHistory history) {
            return to(keys, history, unacknowledged -> {});
        }

        @Override
        public AcquireResult of(Reply reply) {
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
                    new RedisCommandExecutionException("WRONGTYPE KEYS[" + position + "]"));
        }
    }

    /**
     * Reads the reply of the acquire script to {@link #vote}.
     *
     * @param result what it says but for the time
     */
    public record VoteAnswer(Answer result) implements Reader<Reply, Vote> {

        @Override
        public Vote of(Reply reply) {
            return new Vote(result.of(reply), reply.micros());
        }

        @Override
        public Vote failed(RedisFailure failure) {
            return new Vote(result.failed(failure), OptionalLong.empty());
        }
    }

    /**
     * What the acquire script says.
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

        /** The status in a batch when the server refused; the marker is what it said. */
        static final long REFUSED = -2;

        /** Whether the server refused, and the other attempts of the batch have results of their own. */
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

        /** The reply to one attempt of a batch, which never asks for the time. */
        public static Reply of(Object element) {
            if (element instanceof Long fencingToken) {
                return new Reply(GRANTED, fencingToken, 0);
            }
            List<?> parts = (List<?>) element;
            Reply numbers = new Reply((Long) parts.get(0), (Long) parts.get(1), (Long) parts.get(2));
            Reply marked = parts.size() > 3 ? numbers.marked((String) parts.get(3)) : numbers;
            Reply held = parts.size() > 4 ? marked.heldBy((String) parts.get(4)) : marked;
            return parts.size() > 5 ? held.unacknowledged((String) parts.get(5)) : held;
        }

        /** The reply without what may follow its numbers. */
        Reply(long status, long value, long number) {
            this(status, value, number, "", "", "", OptionalLong.empty());
        }

        /** With the marker of the server's history. */
        Reply marked(String text) {
            return new Reply(status, value, number, text, holder, unacknowledged, micros);
        }

        /** With the holder of the lock. */
        Reply heldBy(String text) {
            return new Reply(status, value, number, marker, text, unacknowledged, micros);
        }

        /** With what is to be acknowledged. */
        Reply unacknowledged(String text) {
            return new Reply(status, value, number, marker, holder, text, micros);
        }

        /** With the time of the server. */
        Reply at(long time) {
            return new Reply(status, value, number, marker, holder, unacknowledged, OptionalLong.of(time));
        }
    }

    /**
     * Takes the reply of the acquire script: three numbers, perhaps a marker, a holder and what is to be acknowledged,
     * and then perhaps the time.
     * The short reply is one number, for a grant without waiters.
     */
    static final class Output extends CommandOutput<String, String, @Nullable Reply> {

        private static final int NUMBERS = 3;
        private static final int TEXTS = 3;

        private long @Nullable [] list;
        private int size;
        private int texts;

        Output() {
            super(StringCodec.UTF8, null);
        }

        @Override
        public void multi(int count) {
            list = new long[NUMBERS];
        }

        @Override
        public void set(long number) {
            long[] numbers = list;
            Reply known = output;
            if (numbers == null) {
                output = new Reply(Reply.GRANTED, number, 0);
            } else if (texts > 0) {
                output = known == null ? null : known.at(number);
            } else {
                numbers[size] = number;
                size++;
                if (size == NUMBERS) {
                    output = new Reply(numbers[0], numbers[1], numbers[2]);
                }
            }
        }

        /**
         * The marker, the holder, and what is to be acknowledged, in this order. Any other text is never the script's:
         * leaves this without a reply.
         */
        @Override
        public void set(@Nullable ByteBuffer bytes) {
            Reply known = output;
            texts++;
            if (bytes == null || known == null || size != NUMBERS || texts > TEXTS) {
                output = null;
            } else {
                String text = codec.decodeValue(bytes);
                output = switch (texts) {
                    case 1 -> known.marked(text);
                    case 2 -> known.heldBy(text);
                    default -> known.unacknowledged(text);
                };
            }
        }
    }
}

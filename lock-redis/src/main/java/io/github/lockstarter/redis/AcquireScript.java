package io.github.lockstarter.redis;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.redis.CallQueue.Sender;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.connection.KeyEncoding;
import io.github.lockstarter.redis.connection.SignalMailbox;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.FailedResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.Slots;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

final class AcquireScript implements Sender<AcquireCommand, AcquireResult> {

    private static final String TAG_IS_NAME = "=";

    private static final String TIMED = "time";

    private static final int SHARED_KEYS = 4;

    private static final int SINGLE_LOCK_ARGUMENTS = 4;

    private static final int READ_ARGUMENTS = 13;

    /** In a lock, in place of the owner's token while it has readers. */
    static final String READ_BY = "%read";

    /** Perhaps there are readers; another script looks. */
    private static final AcquireResult READ = new AcquireResult.Contended(Optional.empty(), Waiting.NEW);

    /** Longest time until a writer looks at readers again. */
    private static final long LOOK_AT_READERS_MILLIS = 335;

    private final ScriptRunner runner;
    private final KeySpace keySpace;
    private final ClientHistories histories;
    private final RedisExceptionTranslator failures;
    private final BiConsumer<String, String> acknowledging;

    public AcquireScript(
            ScriptRunner runner,
            KeySpace keySpace,
            ClientHistories histories,
            RedisExceptionTranslator failures,
            BiConsumer<String, String> acknowledging) {
        this.runner = runner;
        this.keySpace = keySpace;
        this.histories = histories;
        this.failures = failures;
        this.acknowledging = acknowledging;
    }

    @Override
    public boolean isCollected(AcquireCommand command) {
        return keySpace.layout() == KeyLayout.STANDALONE && isPlain(command);
    }

    private static boolean isPlain(AcquireCommand command) {
        return command.fencingTokens() == 1
                && command.slots().equals(Slots.ONLY)
                && command.minHold().isZero()
                && command.replaced().isEmpty()
                && (command.waiting().isEmpty() || command.waiting().get().position() == Waiting.NEW);
    }

    /** Several commands must be plain attempts that share a history. */
    @Override
    public CompletionStage<List<AcquireResult>> send(List<AcquireCommand> commands) {
        AcquireCommand first = commands.get(0);
        return first.reads()
                ? runner.whenOpen(
                        keySpace, () -> sendToReaders(first).thenApply(List::of), failure -> List.of(resultOf(failure)))
                : send(commands, !first.minHold().isZero())
                        .thenApply(votes -> votes.stream().map(Vote::result).toList());
    }

    /** Where an attempt to write has found a mark of readers, looks at them, while others of the same call go on. */
    @SuppressWarnings("ReferenceEquality")
    CompletionStage<AcquireResult> completed(AcquireCommand command, AcquireResult found) {
        return found == READ ? sendToReaders(command) : CompletableFuture.completedFuture(found);
    }

    private CompletionStage<AcquireResult> sendToReaders(AcquireCommand command) {
        Answers answers = new Answers(List.of(command));
        return runner.run(callToReaders(command, answers.history, answers.known), answers)
                .thenApply(votes -> withLook(command, votes.get(0).result()));
    }

    private AcquireResult withLook(AcquireCommand command, AcquireResult result) {
        return !command.reads() && !keySpace.isPerSlot() && result instanceof AcquireResult.Contended contended
                ? new AcquireResult.Contended(
                        contended.remainingLease(),
                        contended.position(),
                        contended.holder(),
                        contended.kept(),
                        Optional.of(lookAtReaders(command)))
                : result;
    }

    /** Beats look only at owners of locks: as often as necessary to take over in time. */
    private static Duration lookAtReaders(AcquireCommand command) {
        long takeover = command.token().takeoverMillis();
        return Duration.ofMillis(
                takeover == 0 ? LOOK_AT_READERS_MILLIS : Math.min(takeover / 3 + 2, LOOK_AT_READERS_MILLIS));
    }

    private ScriptCall callToReaders(AcquireCommand command, ServerHistory history, String known) {
        LockKeys lock = keySpace.keysOf(command.key());
        String[] keys = Stream.concat(
                        KeySpace.slotsOf(lock.lock(), Slots.OF_READERS).stream(),
                        Stream.of(
                                lock.lock(),
                                lock.waiters(),
                                lock.fence(),
                                history.key(),
                                history.checkedKey(),
                                history.takeoversKey()))
                .toArray(String[]::new);
        Waiting waiting = command.waiting().orElse(null);
        String[] arguments = new String[READ_ARGUMENTS];
        arguments[0] = known;
        arguments[1] = history.terms().graceText();
        arguments[2] = waiting == null ? ScriptCall.ABSENT : ScriptCall.millis(waiting.patience());
        arguments[3] = command.token().value();
        arguments[4] = ScriptCall.millis(command.lease());
        arguments[5] = Long.toString(command.fencingFloor());
        arguments[6] = nameFor(lock, waiting);
        arguments[7] = Integer.toString(command.fencingTokens());
        arguments[8] = positionOf(command);
        arguments[9] = command.reads() ? "read" : "write";
        arguments[10] = ReleaseScript.counting(keySpace);
        arguments[11] = command.minHold().isZero() ? ScriptCall.ABSENT : TIMED;
        arguments[12] = lock.name();
        return new ScriptCall(LockScript.ACQUIRE_READ, keys, arguments);
    }

    private static String nameFor(LockKeys lock, @Nullable Waiting waiting) {
        return waiting == null ? ScriptCall.ABSENT : lock.name().isEmpty() ? TAG_IS_NAME : lock.name();
    }

    private static String positionOf(AcquireCommand command) {
        return command.waiting()
                .filter(waiting -> waiting.position() != Waiting.NEW)
                .map(waiting -> Long.toString(waiting.position()))
                .orElse(ScriptCall.ABSENT);
    }

    public CompletionStage<Vote> vote(AcquireCommand command) {
        return send(List.of(command), true).thenApply(votes -> votes.get(0));
    }

    private CompletionStage<List<Vote>> send(List<AcquireCommand> commands, boolean timed) {
        return runner.whenOpen(
                keySpace,
                () -> {
                    Answers answers = new Answers(commands);
                    return runner.run(call(commands, answers.history, answers.known, timed), answers);
                },
                failure -> failed(commands.size(), failure));
    }

    private static List<Vote> failed(int count, RedisFailure failure) {
        return Collections.nCopies(count, new Vote(resultOf(failure), OptionalLong.empty()));
    }

    /** Why the store refuses the attempt, for operators; empty if another owner or a recovery is the reason. */
    public CompletionStage<Optional<String>> refusalOf(AcquireCommand command) {
        List<AcquireCommand> commands = List.of(command);
        return runner.whenOpen(
                keySpace,
                () -> {
                    Answers answers = new Answers(commands);
                    return runner.run(call(commands, answers.history, answers.known, false), new Refusals(answers));
                },
                failure -> Optional.of(failure.reason()));
    }

    @Override
    public AcquireResult unsent(AcquireCommand command) {
        return resultOf(failures.ofTooManyUnanswered(CallQueue.MOST_UNANSWERED));
    }

    /** @param timed only for a single lock */
    private ScriptCall call(List<AcquireCommand> commands, ServerHistory history, String known, boolean timed) {
        int count = commands.size();
        AcquireCommand first = commands.get(0);
        int slots = count == 1 ? first.permits() : count;
        String[] keys = new String[slots + count + SHARED_KEYS];
        String[] arguments = new String[3 + 4 * count + SINGLE_LOCK_ARGUMENTS];
        Arrays.fill(arguments, ScriptCall.ABSENT);
        arguments[0] = known;
        arguments[1] = history.terms().graceText();
        Duration patience = Duration.ZERO;
        for (int i = 0; i < count; i++) {
            AcquireCommand command = commands.get(i);
            LockKeys lock = keySpace.keysOf(command.key());
            Waiting waiting = command.waiting().orElse(null);
            keys[i] = lock.lock();
            keys[slots + i] = lock.waiters();
            keys[slots + count] = lock.fence();
            arguments[3 + 4 * i] = command.token().value();
            arguments[4 + 4 * i] = ScriptCall.millis(command.lease());
            arguments[5 + 4 * i] = Long.toString(command.fencingFloor());
            arguments[6 + 4 * i] = nameFor(lock, waiting);
            patience = waiting == null || waiting.patience().compareTo(patience) < 0 ? patience : waiting.patience();
        }
        arguments[2] = patience.isZero() ? ScriptCall.ABSENT : ScriptCall.millis(patience);
        for (int slot = 1; slot < first.permits(); slot++) {
            keys[slot] = KeySpace.slotOf(keys[0], slot);
        }
        if (timed || !isPlain(first)) {
            int from = 3 + 4 * count;
            arguments[from] = Integer.toString(first.fencingTokens());
            arguments[from + 1] = positionOf(first);
            arguments[from + 2] = timed ? TIMED : ScriptCall.ABSENT;
            arguments[from + 3] = first.replaced().orElse(ScriptCall.ABSENT);
        }
        keys[slots + count + 1] = history.key();
        keys[slots + count + 2] = history.checkedKey();
        keys[slots + count + 3] = history.takeoversKey();
        LockScript script = first.permits() == 1 ? LockScript.ACQUIRE : LockScript.ACQUIRE_PERMIT;
        return new ScriptCall(script, keys, arguments);
    }

    private static AcquireResult resultOf(RedisFailure failure) {
        return switch (failure.effect()) {
            case NONE -> new AcquireResult.Rejected(failure.problem(), failure.cause());
            case NOT_YET -> new AcquireResult.Unavailable(failure.problem(), failure.cause());
            case UNKNOWN -> new AcquireResult.Unknown(failure.problem(), failure.cause());
        };
    }

    private final class Refusals implements Reader<Optional<String>> {

        private final Answers answers;

        Refusals(Answers answers) {
            this.answers = answers;
        }

        @Override
        public Optional<String> of(List<Object> parts, boolean repeated) {
            Throwable refusal = refusalIn(parts);
            if (refusal != null) {
                return failed(failures.ofExecuting(refusal));
            }
            AcquireResult result = answers.of(parts, repeated).get(0).result();
            return result instanceof FailedResult failed ? Optional.of(failed.reason()) : Optional.empty();
        }

        @Override
        public @Nullable Throwable refusalIn(List<Object> parts) {
            return answers.refusalIn(parts);
        }

        @Override
        public Optional<String> failed(RedisFailure failure) {
            return Optional.of(failure.reason());
        }
    }

    private final class Answers implements Reader<List<Vote>> {

        private final List<AcquireCommand> commands;
        private final ServerHistory history;
        private final String known;

        Answers(List<AcquireCommand> commands) {
            this.commands = commands;
            this.history = histories.ofKey(commands.get(0).key());
            this.known = history.known();
        }

        @Override
        public List<Vote> of(List<Object> parts, boolean repeated) {
            List<AcquireReply> replies = AcquireReply.all(parts, commands.size());
            List<Vote> votes = new ArrayList<>(replies.size());
            for (int i = 0; i < replies.size(); i++) {
                AcquireReply reply = replies.get(i);
                votes.add(new Vote(resultOf(commands.get(i), reply, repeated), reply.micros()));
            }
            return votes;
        }

        @Override
        public @Nullable Throwable refusalIn(List<Object> parts) {
            for (AcquireReply reply : AcquireReply.all(parts, commands.size())) {
                if (reply.isRefusal()) {
                    return new RedisCommandExecutionException(reply.marker());
                }
            }
            return null;
        }

        @Override
        public List<Vote> failed(RedisFailure failure) {
            return AcquireScript.failed(commands.size(), failure);
        }

        private AcquireResult resultOf(AcquireCommand command, AcquireReply reply, boolean repeated) {
            String key = command.key();
            if (reply.isRefusal()) {
                RedisFailure refusal = failures.ofError(reply.marker());
                return AcquireScript.resultOf(repeated ? refusal.afterReconnect() : refusal);
            }
            history.learn(reply.marker());
            if (reply.status() == AcquireReply.GRANTED) {
                publish(key, reply.unnotified(), KeyEncoding.encode(key));
                return new AcquireResult.Granted(
                        reply.value(),
                        reply.number(),
                        reply.owner(),
                        reply.marker().isEmpty() ? known : reply.marker(),
                        command.reads() ? Slots.OF_READERS.from() + reply.slot() - 1 : reply.slot());
            }
            if (reply.isRead()) {
                return READ;
            }
            if (reply.status() == AcquireReply.CONTENDED) {
                if (!reply.unacknowledged().isEmpty()) {
                    acknowledging.accept(reply.unacknowledged(), key);
                }
                publish(key, reply.unnotified(), SignalMailbox.WANTED + KeyEncoding.encode(key));
                return new AcquireResult.Contended(
                        remaining(reply.value()), reply.number(), reply.owner(), reply.isKept());
            }
            if (reply.status() == AcquireReply.RECOVERING) {
                Duration left = Duration.ofMillis(reply.value());
                return new AcquireResult.Recovering(left, history.recovers(left).problem());
            }
            if (reply.status() == AcquireReply.WRONG_TYPE) {
                return wrongType(key, reply);
            }
            throw new IllegalStateException("Unknown status " + reply.status());
        }

        private void publish(String key, List<String> instances, String message) {
            for (String instance : instances) {
                CompletionStage<Long> unused =
                        runner.publish(keySpace.lockOf(key), keySpace.mailboxOf(instance), message);
            }
        }

        private static Optional<Duration> remaining(long millis) {
            return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        }

        private AcquireResult wrongType(String key, AcquireReply reply) {
            LockKeys keys = keySpace.keysOf(key);
            List<String> names = List.of(
                    KeySpace.slotOf(keys.lock(), Math.toIntExact(reply.number())),
                    keys.fence(),
                    keys.waiters(),
                    history.key());
            return new AcquireResult.Rejected(
                    "Redis key '" + names.get(Math.toIntExact(reply.value()) - 1)
                            + "' holds another type than locks keep there, so another program uses it, or clients with"
                            + " another distributed-lock.redis.key-layout. Check it with TYPE, then delete it or choose"
                            + " another distributed-lock.key-prefix",
                    new RedisCommandExecutionException("WRONGTYPE"));
        }
    }

    /**
     * @param value first fencing token, remaining lease, retry delay, or number of the key with a wrong type
     * @param number of other queued instances, or the queue position
     * @param marker of the server's history; empty if the caller knows it
     * @param holder token of the other owner, of the owner that a takeover replaced, {@link ReleaseScript#KEPT} or
     *     {@link #READ_BY}; else empty
     * @param unacknowledged trace to acknowledge before the takeover; else empty
     * @param slot granted, or tried last
     * @param unnotified instances to which the server refused to publish: of owners, that another one waits; else, the
     *     signal of a reader
     */
    record AcquireReply(
            long status,
            long value,
            long number,
            String marker,
            String holder,
            String unacknowledged,
            OptionalLong micros,
            int slot,
            List<String> unnotified) {

        static final long GRANTED = 1;

        static final long CONTENDED = 0;

        /** The lock is free, but the server may have forgotten an owner. */
        static final long RECOVERING = 2;

        static final long WRONG_TYPE = -1;

        /** The server refused; the marker is its error message. */
        static final long REFUSED = -2;

        private static final int TIME = 6;
        private static final int SLOT = 7;
        private static final int UNNOTIFIED = 8;

        /** Others of the call may have succeeded. */
        boolean isRefusal() {
            return status == REFUSED;
        }

        boolean isKept() {
            return holder.equals(ReleaseScript.KEPT);
        }

        boolean isRead() {
            return holder.equals(READ_BY);
        }

        Optional<LockHolder> owner() {
            return holder.isEmpty() || isKept() ? Optional.empty() : Optional.of(LockToken.holderOf(holder));
        }

        static List<AcquireReply> all(List<Object> parts, int count) {
            if (count == 1) {
                return List.of(of(parts.size() == 1 ? parts.get(0) : parts));
            }
            if (parts.size() != count) {
                throw new IllegalArgumentException("Not a reply for " + count + " locks");
            }
            return parts.stream().map(AcquireReply::of).toList();
        }

        static AcquireReply of(Object said) {
            if (said instanceof Long fencingToken) {
                return new AcquireReply(GRANTED, fencingToken, 0, "", "", "", OptionalLong.empty(), 0, List.of());
            }
            List<?> parts = (List<?>) said;
            return new AcquireReply(
                    (Long) parts.get(0),
                    (Long) parts.get(1),
                    (Long) parts.get(2),
                    text(parts, 3),
                    text(parts, 4),
                    text(parts, 5),
                    parts.size() > TIME && parts.get(TIME) instanceof Long micros
                            ? OptionalLong.of(micros)
                            : OptionalLong.empty(),
                    parts.size() > SLOT ? Math.toIntExact((Long) parts.get(SLOT)) : 0,
                    parts.size() > UNNOTIFIED ? List.of(text(parts, UNNOTIFIED).split(" ")) : List.of());
        }

        private static String text(List<?> parts, int place) {
            return place < parts.size() ? (String) parts.get(place) : "";
        }
    }
}

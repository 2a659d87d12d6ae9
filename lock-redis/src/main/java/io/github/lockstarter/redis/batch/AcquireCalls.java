package io.github.lockstarter.redis.batch;

import io.github.lockstarter.redis.batch.CallBatcher.Collected;
import io.github.lockstarter.redis.batch.CallBatcher.Sender;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.AcquireScript;
import io.github.lockstarter.redis.script.ScriptRunner;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Attempts to get locks of one server. Those that are collected, and those that follow a grant within the time of its
 * note, are hoped to find free locks; one that does not is sent once more, by itself, and hears then why.
 *
 * @param runner sends
 * @param keySpace what the keys are called
 * @param histories the history that the locks belong to
 * @param ended hears of each attempt by itself that was pending and has its result, with its key
 */
record AcquireCalls(
        ScriptRunner runner,
        KeySpace keySpace,
        ClientHistories histories,
        BiConsumer<String, PendingCall<AcquireResult>> ended)
        implements Sender<AcquireCommand, AcquireResult> {

    /** Whether an attempt may be collected: one that asks for no more than a lock that is free. */
    boolean areFor(AcquireCommand command) {
        return !histories.isPerSlot() && asksForNoMoreThanTheLock(command);
    }

    private static boolean asksForNoMoreThanTheLock(AcquireCommand command) {
        return command.fencingTokens() == 1
                && command.atLeast().isZero()
                && (command.waiting().isEmpty() || command.waiting().get().position() == Waiting.NEW);
    }

    @Override
    public CompletionStage<AcquireResult> one(AcquireCommand command) {
        String lock = keySpace.lockOf(command.key());
        ServerHistory history = histories.of(lock);
        return history != null && history.isNoted() && asksForNoMoreThanTheLock(command)
                ? free(command, lock, history)
                : whole(command, history);
    }

    private CompletionStage<AcquireResult> whole(AcquireCommand command, @Nullable ServerHistory history) {
        LockKeys keys = keySpace.keysOf(command.key());
        AcquireScript.Answer answer = new AcquireScript.Answer(keys, history);
        return runner.run(
                AcquireScript.acquire(command, keys, history), new WholeAnswer(answer, history, System.nanoTime()));
    }

    /** The lock was not free, or there is more to look at: the whole script says what. */
    private void follow(PendingCall<AcquireResult> attempt, AcquireCommand command, @Nullable ServerHistory history) {
        if (attempt.follow()) {
            attempt.completeAs(whole(command, history));
            attempt.followed();
        } else {
            attempt.complete(new AcquireResult.Unknown(
                    "Redis answered the attempt to acquire lock '" + command.key()
                            + "' only after a later command for it" + " had been sent",
                    new IllegalStateException("a later command was sent")));
        }
    }

    /** Reads the reply to any attempt; a grant in the history that the caller knows leaves a note. */
    private record WholeAnswer(
            AcquireScript.Answer answer, @Nullable ServerHistory history, long sentAt)
            implements Reader<AcquireScript.Reply, AcquireResult> {

        @Override
        public AcquireResult of(AcquireScript.Reply reply) {
            AcquireResult result = answer.of(reply);
            if (history != null
                    && result instanceof AcquireResult.Granted
                    && reply.marker().isEmpty()) {
                history.noted(sentAt);
            }
            return result;
        }

        @Override
        public AcquireResult failed(RedisFailure failure) {
            return answer.failed(failure);
        }
    }

    private FreeAttempt free(AcquireCommand command, String lock, ServerHistory history) {
        FreeAttempt attempt = new FreeAttempt(this, command, history);
        runner.run(AcquireScript.acquireFree(command, lock, keySpace, history), attempt);
        attempt.sent();
        return attempt;
    }

    /** An attempt that hopes for a free lock and a note. */
    private static final class FreeAttempt extends PendingCall<AcquireResult> implements Reader<Long, FreeAttempt> {

        private final AcquireCalls calls;
        private final AcquireCommand command;
        private final ServerHistory history;

        private FreeAttempt(AcquireCalls calls, AcquireCommand command, ServerHistory history) {
            this.calls = calls;
            this.command = command;
            this.history = history;
        }

        /** A fencing token that is not above the floor is raised by the whole script. */
        @Override
        public FreeAttempt of(Long fencingToken) {
            if (fencingToken > command.fencingFloor()) {
                complete(new AcquireResult.Granted(fencingToken, 0));
            } else {
                calls.follow(this, command, history);
            }
            return this;
        }

        @Override
        public FreeAttempt failed(RedisFailure failure) {
            complete(new AcquireScript.Answer(calls.keySpace.keysOf(command.key()), history).failed(failure));
            return this;
        }

        @Override
        void ended() {
            calls.ended.accept(command.key(), this);
        }
    }

    @Override
    public CompletionStage<?> many(List<Collected<AcquireCommand, AcquireResult>> attempts) {
        List<AcquireCommand> commands = attempts.stream().map(Collected::call).toList();
        ServerHistory history = histories.ofKey(commands.get(0).key());
        return runner.run(AcquireScript.acquireFree(commands, keySpace, history), new Answer(this, attempts, history));
    }

    /** Completes each attempt. */
    private record Answer(
            AcquireCalls calls,
            List<Collected<AcquireCommand, AcquireResult>> attempts,
            @Nullable ServerHistory history)
            implements Reader<List<Long>, Integer> {

        @Override
        public Integer of(List<Long> tokens) {
            if (tokens.size() != attempts.size()) {
                throw new IllegalArgumentException("Not a reply for " + attempts.size() + " locks");
            }
            for (int i = 0; i < tokens.size(); i++) {
                Collected<AcquireCommand, AcquireResult> attempt = attempts.get(i);
                if (tokens.get(i) > 0) {
                    attempt.complete(new AcquireResult.Granted(tokens.get(i), 0));
                } else {
                    calls.follow(attempt, attempt.call(), history);
                }
            }
            return tokens.size();
        }

        @Override
        public Integer failed(RedisFailure failure) {
            for (Collected<AcquireCommand, AcquireResult> attempt : attempts) {
                LockKeys keys = calls.keySpace.keysOf(attempt.call().key());
                attempt.complete(new AcquireScript.Answer(keys, history).failed(failure));
            }
            return attempts.size();
        }
    }
}

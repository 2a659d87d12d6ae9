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
import org.jspecify.annotations.Nullable;

/**
 * Attempts to get locks of one server. Those that are collected are hoped to find free locks; one that does not is sent
 * once more, by itself, and hears then why.
 *
 * @param runner sends
 * @param keySpace what the keys are called
 * @param histories the history that the locks belong to
 */
record AcquireCalls(ScriptRunner runner, KeySpace keySpace, ClientHistories histories)
        implements Sender<AcquireCommand, AcquireResult> {

    /** Whether an attempt may be collected: one that asks for no more than a lock that is free. */
    boolean areFor(AcquireCommand command) {
        return !histories.isPerSlot()
                && command.fencingTokens() == 1
                && command.atLeast().isZero()
                && (command.waiting().isEmpty() || command.waiting().get().position() == Waiting.NEW);
    }

    @Override
    public CompletionStage<AcquireResult> one(AcquireCommand command) {
        LockKeys keys = keySpace.keysOf(command.key());
        ServerHistory history = histories.of(keys.lock());
        return runner.run(AcquireScript.acquire(command, keys, history), new AcquireScript.Answer(keys, history));
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
                    attempt.completeAs(calls.one(attempt.call()));
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

package io.github.lockstarter.redis.batch;

import io.github.lockstarter.redis.batch.CallQueue.Call;
import io.github.lockstarter.redis.batch.CallQueue.Sender;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.AcquireScript;
import io.github.lockstarter.redis.script.AcquireScript.Answer;
import io.github.lockstarter.redis.script.AcquireScript.Reply;
import io.github.lockstarter.redis.script.ScriptCall;
import io.github.lockstarter.redis.script.ScriptRunner;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends attempts to get locks of one server.
 *
 * @param runner sends
 * @param keySpace what the keys are called
 * @param histories the history that the locks belong to
 * @param failures says what a refusal means
 * @param acknowledging takes what is to be acknowledged before a lock is taken over, and the key of the lock
 */
public record Attempts(
        ScriptRunner runner,
        KeySpace keySpace,
        ClientHistories histories,
        RedisExceptionTranslator failures,
        BiConsumer<String, String> acknowledging)
        implements Sender<AcquireCommand, AcquireResult> {

    @Override
    public boolean isCollected(AcquireCommand command) {
        return !histories.isPerSlot() && AcquireScript.asksForALockAlone(command);
    }

    @Override
    public CompletionStage<?> send(List<Call<AcquireCommand, AcquireResult>> calls) {
        List<AcquireCommand> commands = new ArrayList<>(calls.size());
        List<Answer> answers = new ArrayList<>(calls.size());
        for (Call<AcquireCommand, AcquireResult> call : calls) {
            String key = call.command().key();
            LockKeys keys = keySpace.keysOf(key);
            commands.add(call.command());
            answers.add(Answer.to(
                    keys,
                    histories.of(keys.lock()),
                    failures,
                    unacknowledged -> acknowledging.accept(unacknowledged, key)));
        }
        ScriptCall<List<Object>> call = AcquireScript.acquire(commands, answers);
        return AcquireScript.asksForALockAlone(commands.get(0))
                ? runner.run(call, new Batch(calls, answers))
                : calls.get(0).completeWith(runner.run(call, answers.get(0)));
    }

    @Override
    public AcquireResult unsent(AcquireCommand command) {
        RedisFailure failure = failures.ofCrowd(CallQueue.MOST_UNANSWERED);
        return new AcquireResult.Unavailable(failure.problem(), failure.cause());
    }

    /** Completes each attempt. */
    private record Batch(List<Call<AcquireCommand, AcquireResult>> calls, List<Answer> answers)
            implements Reader<List<Object>, Integer> {

        @Override
        public Integer of(List<Object> replies) {
            return complete(replies, false);
        }

        @Override
        public Integer ofRepeated(List<Object> replies) {
            return complete(replies, true);
        }

        private int complete(List<Object> replies, boolean areRepeated) {
            if (replies.size() != calls.size()) {
                throw new IllegalArgumentException("Not a reply for " + calls.size() + " locks");
            }
            for (int i = 0; i < replies.size(); i++) {
                calls.get(i).complete(answers.get(i).of(Reply.of(replies.get(i)), areRepeated));
            }
            return replies.size();
        }

        @Override
        public @Nullable Throwable refusalIn(List<Object> replies) {
            return AcquireScript.refusalIn(replies);
        }

        @Override
        public Integer failed(RedisFailure failure) {
            for (int i = 0; i < calls.size(); i++) {
                calls.get(i).complete(answers.get(i).failed(failure));
            }
            return calls.size();
        }
    }
}

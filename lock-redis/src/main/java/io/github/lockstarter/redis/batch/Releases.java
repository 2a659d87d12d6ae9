package io.github.lockstarter.redis.batch;

import io.github.lockstarter.redis.batch.CallQueue.Call;
import io.github.lockstarter.redis.batch.CallQueue.Sender;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.github.lockstarter.redis.script.ScriptRunner;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Sends releases of locks of one server.
 *
 * @param runner sends
 * @param script makes the calls
 * @param isCluster whether two locks are rarely on one server
 */
public record Releases(ScriptRunner runner, ReleaseScript script, boolean isCluster)
        implements Sender<ReleaseCommand, ReleaseResult> {

    @Override
    public boolean isCollected(ReleaseCommand command) {
        return !isCluster
                && command.ownWait() instanceof Wait.Unchanged
                && command.atLeast().isZero();
    }

    @Override
    public CompletionStage<?> send(List<Call<ReleaseCommand, ReleaseResult>> calls) {
        List<ReleaseCommand> commands = calls.stream().map(Call::command).toList();
        return runner.run(script.release(commands), new Batch(calls));
    }

    /** Completes each release. */
    private record Batch(List<Call<ReleaseCommand, ReleaseResult>> calls) implements Reader<List<Object>, Integer> {

        @Override
        public Integer of(List<Object> statuses) {
            return complete(statuses, false);
        }

        @Override
        public Integer ofRepeated(List<Object> statuses) {
            return complete(statuses, true);
        }

        private int complete(List<Object> statuses, boolean areRepeated) {
            if (statuses.size() != calls.size()) {
                throw new IllegalArgumentException("Not a reply for " + calls.size() + " locks");
            }
            for (int i = 0; i < statuses.size(); i++) {
                Call<ReleaseCommand, ReleaseResult> call = calls.get(i);
                Reader<Long, ReleaseResult> reader =
                        ReleaseScript.readerFor(call.command().token());
                Long status = (Long) statuses.get(i);
                call.complete(areRepeated ? reader.ofRepeated(status) : reader.of(status));
            }
            return statuses.size();
        }

        @Override
        public Integer failed(RedisFailure failure) {
            for (Call<ReleaseCommand, ReleaseResult> call : calls) {
                call.complete(ReleaseScript.readerFor(call.command().token()).failed(failure));
            }
            return calls.size();
        }
    }
}

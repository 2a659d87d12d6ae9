package io.github.lockstarter.redis.batch;

import io.github.lockstarter.redis.batch.CallBatcher.Collected;
import io.github.lockstarter.redis.batch.CallBatcher.Sender;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.github.lockstarter.redis.script.ScriptRunner;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Releases of locks of one server. One that is collected, and whose token does not have the lock, is sent once more, by
 * itself, and hears then why.
 *
 * @param runner sends
 * @param script makes the calls
 * @param isCluster whether two locks are rarely on one server
 */
record ReleaseCalls(ScriptRunner runner, ReleaseScript script, boolean isCluster)
        implements Sender<ReleaseCommand, ReleaseResult> {

    /** Whether a release may be collected: one that frees the lock for others. */
    boolean areFor(ReleaseCommand command) {
        return !isCluster && command.requeue().isEmpty() && command.keep().isEmpty();
    }

    @Override
    public CompletionStage<ReleaseResult> one(ReleaseCommand command) {
        return runner.run(script.release(command), ReleaseScript.readerFor(command.token()));
    }

    /** A release that may have been done by a call that the client sent before. */
    private CompletionStage<ReleaseResult> again(ReleaseCommand command) {
        return runner.run(script.release(command), ReleaseScript.repeatedReaderFor(command.token()));
    }

    @Override
    public CompletionStage<?> many(List<Collected<ReleaseCommand, ReleaseResult>> releases) {
        List<ReleaseCommand> commands = releases.stream().map(Collected::call).toList();
        return runner.run(script.releaseHeld(commands), new Answer(this, releases));
    }

    /** Completes each release. */
    private record Answer(ReleaseCalls calls, List<Collected<ReleaseCommand, ReleaseResult>> releases)
            implements Reader<List<Long>, Integer> {

        @Override
        public Integer of(List<Long> statuses) {
            return complete(statuses, calls::one);
        }

        @Override
        public Integer ofRepeated(List<Long> statuses) {
            return complete(statuses, calls::again);
        }

        private int complete(
                List<Long> statuses, Function<ReleaseCommand, CompletionStage<ReleaseResult>> askingAlone) {
            if (statuses.size() != releases.size()) {
                throw new IllegalArgumentException("Not a reply for " + releases.size() + " locks");
            }
            for (int i = 0; i < statuses.size(); i++) {
                Collected<ReleaseCommand, ReleaseResult> release = releases.get(i);
                long status = statuses.get(i);
                if (status == ReleaseScript.NOT_HELD) {
                    release.completeAs(askingAlone.apply(release.call()));
                } else {
                    release.complete(ReleaseScript.RELEASE_READER.of(status));
                }
            }
            return statuses.size();
        }

        @Override
        public Integer failed(RedisFailure failure) {
            ReleaseResult unknown = ReleaseScript.RELEASE_READER.failed(failure);
            releases.forEach(release -> release.complete(unknown));
            return releases.size();
        }
    }
}

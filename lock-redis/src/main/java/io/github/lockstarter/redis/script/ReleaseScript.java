package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.CallQueue.Sender;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Wait;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * Sends releases, and reads the statuses of the release script.
 *
 * @param runner sends
 * @param keySpace what the keys are called
 * @param isCluster whether two locks are rarely on one server, which counts only the listeners at itself
 */
public record ReleaseScript(ScriptRunner runner, KeySpace keySpace, boolean isCluster)
        implements Sender<ReleaseCommand, ReleaseResult> {

    /** Status: done, and a waiter was signalled. */
    private static final long SIGNALLED = 3;

    /** Status of release and revoke: the token does not have the lock. */
    static final long NOT_HELD = 0;

    /** Says that the instance leaves the queue. */
    private static final String ENDS = "ends";

    /** How many arguments are of a lock that is released alone. */
    private static final int OF_ONE = 4;

    /** Status of release: the lock is free. */
    private static final long FREE = -1;

    /** What stands in place of the owner's token while a lock is kept for the rest of its minimum time. */
    static final String KEPT = "%kept";

    /** What each millisecond of the rest adds to the status in the reply of release. */
    private static final long PER_MILLISECOND = 4;

    /** The argument that says whether {@code PUBLISH} counts the listeners at other nodes. */
    static String counting(boolean isCluster) {
        return isCluster ? "uncounted" : ScriptCall.ABSENT;
    }

    @Override
    public boolean isCollected(ReleaseCommand command) {
        return !isCluster
                && command.slots().count() == 1
                && command.ownWait() instanceof Wait.Unchanged
                && command.atLeast().isZero();
    }

    @Override
    public CompletionStage<List<ReleaseResult>> send(List<ReleaseCommand> commands) {
        return runner.run(call(commands), new Statuses(commands));
    }

    /** Frees the slot that the token has, if it has one of several: all of them in one call. */
    public CompletionStage<ReleaseResult> sendToAll(ReleaseCommand command) {
        Slots slots = command.slots();
        List<ReleaseCommand> each = IntStream.range(slots.from(), slots.from() + slots.count())
                .mapToObj(slot -> new ReleaseCommand(
                        command.key(),
                        command.token(),
                        command.fencingToken(),
                        Wait.UNCHANGED,
                        Duration.ZERO,
                        Slots.one(slot)))
                .toList();
        return send(each).thenApply(results -> results.stream()
                .filter(result ->
                        !(result instanceof ReleaseResult.NotHeld || result instanceof ReleaseResult.FoundFree))
                .findFirst()
                .orElse(results.get(0)));
    }

    /**
     * One call for all of them. Several are of locks that are freed at once, on one server that is no node of a
     * cluster, by instances whose place in the queue stays as it is. Its reply has a status for each.
     */
    private ScriptCall call(List<ReleaseCommand> commands) {
        int count = commands.size();
        String[] keys = new String[2 * count];
        String[] arguments = new String[2 * count + OF_ONE];
        Arrays.fill(arguments, ScriptCall.ABSENT);
        for (int i = 0; i < count; i++) {
            LockKeys lock = keySpace.keysOf(commands.get(i).key());
            keys[i] = KeySpace.slotOf(lock.lock(), commands.get(i).slots().from());
            keys[count + i] = lock.waiters();
            arguments[2 * i] = commands.get(i).token().value();
            arguments[2 * i + 1] = lock.name();
        }
        ReleaseCommand first = commands.get(0);
        arguments[2 * count] = counting(isCluster);
        arguments[2 * count + 1] = first.endsWait()
                ? ENDS
                : first.requeue().map(ScriptCall::millis).orElse(ScriptCall.ABSENT);
        if (!first.atLeast().isZero()) {
            arguments[2 * count + 2] = ScriptCall.millis(first.atLeast());
            arguments[2 * count + 3] = Long.toString(first.fencingToken());
        }
        return new ScriptCall(LockScript.RELEASE, keys, arguments);
    }

    /** Reads the reply to one call. */
    private record Statuses(List<ReleaseCommand> commands) implements Reader<List<ReleaseResult>> {

        @Override
        public List<ReleaseResult> of(List<Object> statuses, boolean areRepeated) {
            if (statuses.size() != commands.size()) {
                throw new IllegalArgumentException("Not a reply for " + commands.size() + " locks");
            }
            List<ReleaseResult> results = new ArrayList<>(statuses.size());
            for (int i = 0; i < statuses.size(); i++) {
                Long status = (Long) statuses.get(i);
                results.add(areRepeated ? ofRepeated(commands.get(i).token(), status) : of(status));
            }
            return results;
        }

        private static ReleaseResult of(long reply) {
            long status = reply % PER_MILLISECOND;
            long rest = reply / PER_MILLISECOND;
            int signalled = status == SIGNALLED ? 1 : 0;
            if (reply == FREE || status == NOT_HELD) {
                return new ReleaseResult.NotHeld();
            }
            return rest == 0
                    ? new ReleaseResult.Released(signalled)
                    : new ReleaseResult.Kept(Duration.ofMillis(rest), signalled);
        }

        /** What a second copy finds free, the first one may have released; unless the lock may have been taken over. */
        private static ReleaseResult ofRepeated(LockToken token, long reply) {
            if (reply == FREE && token.takeOverMillis() == 0) {
                return new ReleaseResult.Released(0);
            }
            ReleaseResult result = of(reply);
            return result instanceof ReleaseResult.NotHeld ? new ReleaseResult.FoundFree() : result;
        }

        @Override
        public List<ReleaseResult> failed(RedisFailure failure) {
            return Collections.nCopies(commands.size(), new ReleaseResult.Unknown(failure.problem(), failure.cause()));
        }
    }
}

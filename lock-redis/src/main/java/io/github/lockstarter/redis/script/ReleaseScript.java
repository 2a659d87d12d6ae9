package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.Milliseconds;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Calls of the release script, and the results that its statuses stand for.
 */
public final class ReleaseScript {

    /** Status: done, and a waiter was signalled. */
    private static final long SIGNALLED = 3;

    /** Status: done, but the next waiter could not be signalled. */
    public static final long UNSIGNALLED = 2;

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

    /** Reads the reply of {@link #release} for a lock that is not taken over. */
    public static final Reader<Long, ReleaseResult> RELEASE_READER = new ReleaseReader(new ReleaseResult.Released(0));

    private static final Reader<Long, ReleaseResult> OF_TAKEN_OVER = new ReleaseReader(new ReleaseResult.FoundFree());

    private final KeySpace keySpace;
    private final String counting;

    /**
     * Prepares calls.
     *
     * @param keySpace what the keys are called
     * @param servers whether they count all listeners of a channel
     */
    public ReleaseScript(KeySpace keySpace, RedisConnector servers) {
        this.keySpace = keySpace;
        this.counting = counting(servers);
    }

    /** The argument that says whether {@code PUBLISH} counts the listeners at other nodes. */
    static String counting(RedisConnector servers) {
        return servers.isCluster() ? "uncounted" : ScriptCall.ABSENT;
    }

    /**
     * One call for all of them. Several are of locks that are freed at once, on one server that is no node of a
     * cluster, by instances whose place in the queue stays as it is. Its reply has a status for each.
     */
    public ScriptCall<List<Object>> release(List<ReleaseCommand> commands) {
        int count = commands.size();
        String[] keys = new String[2 * count];
        String[] arguments = new String[2 * count + OF_ONE];
        Arrays.fill(arguments, ScriptCall.ABSENT);
        for (int i = 0; i < count; i++) {
            LockKeys lock = keySpace.keysOf(commands.get(i).key());
            keys[i] = lock.lock();
            keys[count + i] = lock.waiters();
            arguments[2 * i] = commands.get(i).token().value();
            arguments[2 * i + 1] = lock.name();
        }
        ReleaseCommand first = commands.get(0);
        arguments[2 * count] = counting;
        arguments[2 * count + 1] = first.endsWait()
                ? ENDS
                : first.requeue().map(Milliseconds::text).orElse(ScriptCall.ABSENT);
        if (!first.atLeast().isZero()) {
            arguments[2 * count + 2] = Milliseconds.text(first.atLeast());
            arguments[2 * count + 3] = Long.toString(first.fencingToken());
        }
        return ScriptCall.ofList(LockScript.RELEASE, keys, ScriptCall.trimmed(arguments));
    }

    /** Forgets a marker, unless another one was written since: to the release script it is a lock and its token. */
    public static ScriptCall<List<Object>> forget(String key, String marker, LockKeys keys) {
        return ScriptCall.ofList(LockScript.RELEASE, new String[] {key, keys.waiters()}, marker);
    }

    /** Reads the reply of {@link #release}. */
    public static Reader<Long, ReleaseResult> readerFor(LockToken token) {
        return token.takeOverMillis() == 0 ? RELEASE_READER : OF_TAKEN_OVER;
    }

    /** @param repeated what it means that a second copy finds the lock free */
    private record ReleaseReader(ReleaseResult repeated) implements Reader<Long, ReleaseResult> {

        @Override
        public ReleaseResult of(Long reply) {
            return reply == FREE ? new ReleaseResult.NotHeld() : ofStatus(reply);
        }

        private static ReleaseResult ofStatus(long reply) {
            long status = reply % PER_MILLISECOND;
            long rest = reply / PER_MILLISECOND;
            int signalled = status == SIGNALLED ? 1 : 0;
            if (status == NOT_HELD) {
                return new ReleaseResult.NotHeld();
            }
            return rest == 0
                    ? new ReleaseResult.Released(signalled)
                    : new ReleaseResult.Kept(Duration.ofMillis(rest), signalled);
        }

        @Override
        public ReleaseResult ofRepeated(Long reply) {
            if (reply == FREE) {
                return repeated;
            }
            return reply == NOT_HELD ? new ReleaseResult.FoundFree() : ofStatus(reply);
        }

        @Override
        public ReleaseResult failed(RedisFailure failure) {
            return new ReleaseResult.Unknown(failure.problem(), failure.cause());
        }
    }
}

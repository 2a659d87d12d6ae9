package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Runs the scripts as they are, on one lock, without the backend around them. The server's history is as old as a grant
 * needs, and each grant looks at it.
 */
final class Scripts {

    static final String KEY = "order:42";
    static final LockKeys KEYS = new KeySpace("lock:").keysOf(KEY);

    private static final String NO_GRACE = "0";

    /** Before those of the history. */
    private static final int OWN_ARGUMENTS = 4;

    private static final long LEASE = 30_000;

    private static final AtomicInteger LOOKS = new AtomicInteger();

    private final RedisCommands<String, String> redis;
    private final String marker;

    Scripts(RedisCommands<String, String> redis) {
        this.redis = redis;
        this.marker = new GuardedScripts(redis).markFirst();
    }

    /** What is stored for a token with the fencing token 7. */
    static String stored(String token) {
        return stored(7, token);
    }

    static String stored(long fencingToken, String token) {
        return "%016d %s".formatted(fencingToken, token);
    }

    /** What is stored for a token whose attempt asked for the time. */
    static String stored(long fencingToken, long micros, String token) {
        return "%016d@%d %s".formatted(fencingToken, micros, token);
    }

    /** An attempt that does not wait. */
    List<Long> acquire(String token, long lease) {
        return acquire(token, lease, 0);
    }

    /** An attempt that knows a fencing token. */
    List<Long> acquire(String token, long lease, long floor) {
        return acquire(token, text(lease), text(floor), "1");
    }

    /** An attempt that asks for several fencing tokens. */
    List<Long> acquireMany(String token, int fencingTokens, long floor) {
        return acquire(token, text(LEASE), text(floor), text(fencingTokens));
    }

    /** An attempt that waits, with the position it was told, or 0. */
    List<Long> waitFor(String token, long patience, long position) {
        return position == 0
                ? acquire(token, text(LEASE), "0", "1", text(patience))
                : acquire(token, text(LEASE), "0", "1", text(patience), text(position));
    }

    /** An attempt that waits, and asks for several fencing tokens. */
    List<Long> waitForMany(String token, int fencingTokens) {
        return acquire(token, text(LEASE), "0", text(fencingTokens), "5000");
    }

    /** An attempt that does not wait, of who counts votes: status, value, number, marker, time. */
    List<Object> vote(String token, long floor) {
        return eval(token, text(LEASE), text(floor), "1", "", "", "", "votes");
    }

    /** The same, of who waits. */
    List<Object> voteAndWait(String token, long patience) {
        return eval(token, text(LEASE), "0", "1", text(patience), "", "", "votes");
    }

    /** Whether an attempt is answered with a bare number. */
    boolean isAnsweredByANumber(String token) {
        return eval(token, text(LEASE), "0", "2").size() == 1;
    }

    /** A bare number as the three that it is short for. */
    private List<Long> acquire(String... arguments) {
        List<Long> reply = eval(arguments);
        return reply.size() == 1 ? List.of(1L, reply.get(0), 0L) : reply;
    }

    /** The client makes a list of a bare number. Each call has a note of its own, so that none relies on another's. */
    private <T> List<T> eval(String... arguments) {
        Stream<String> first = Stream.of(arguments).limit(OWN_ARGUMENTS);
        Stream<String> others = Stream.of(arguments).skip(OWN_ARGUMENTS);
        return redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                new String[] {
                    KEYS.lock(),
                    KEYS.fence(),
                    KEYS.waiters(),
                    GuardedScripts.HISTORY,
                    GuardedScripts.CHECKED + LOOKS.incrementAndGet()
                },
                Stream.of(first, Stream.of(marker, NO_GRACE), others)
                        .flatMap(part -> part)
                        .toArray(String[]::new));
    }

    /** A call for one lock. */
    String renew(String token, long lease) {
        return renew(List.of(KEYS.lock()), token, text(lease));
    }

    /** A call for many locks, a token and a lease for each: the statuses, and the problem. */
    String renew(List<String> locks, String... tokensAndLeases) {
        String[] arguments =
                Stream.concat(Stream.of("", "", ""), Stream.of(tokensAndLeases)).toArray(String[]::new);
        List<Object> reply =
                redis.eval(LockScript.RENEW.text(), ScriptOutputType.MULTI, locks.toArray(new String[0]), arguments);
        assertThat(reply).hasSize(4).endsWith("", 0L);
        return reply.get(0) + "" + reply.get(1);
    }

    long release(String token, long fencingToken) {
        return release(new String[] {token, text(fencingToken)});
    }

    /** A release of an instance that goes on waiting. */
    long releaseAndQueue(String token, long patience) {
        return release(new String[] {token, "0", text(patience)});
    }

    /** A release on a server that does not count the listeners at others. */
    long releaseUncounted(String token) {
        return release(new String[] {token, "0", "", "", "uncounted"});
    }

    /** A release of a lock with a minimum time, of an instance that goes on waiting if it is patient. */
    long releaseKept(String token, long fencingToken, String patience, long minimum) {
        return release(new String[] {token, text(fencingToken), patience, "", "", text(minimum)});
    }

    private long release(String[] arguments) {
        Long status = redis.eval(LockScript.RELEASE.text(), ScriptOutputType.INTEGER, KEYS.lockAndWaiters(), arguments);
        return status;
    }

    long withdraw(String... token) {
        Long status = redis.eval(LockScript.WITHDRAW.text(), ScriptOutputType.INTEGER, KEYS.lockAndWaiters(), token);
        return status;
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}

package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.stream.Stream;

/** Runs the scripts as they are, on one lock, without the backend around them and without the history guard. */
final class Scripts {

    static final String KEY = "order:42";
    static final LockKeys KEYS = new KeySpace("lock:").keysOf(KEY);

    private static final String[] KEYS_OF_GRANT = {KEYS.lock(), KEYS.fence(), KEYS.waiters()};
    private static final long LEASE = 30_000;

    private final RedisCommands<String, String> redis;

    Scripts(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    /** What is stored for a token with the fencing token 7. */
    static String stored(String token) {
        return stored(7, token);
    }

    static String stored(long fencingToken, String token) {
        return "%016d %s".formatted(fencingToken, token);
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
                ? acquire(token, text(LEASE), "0", "1", "", "", text(patience))
                : acquire(token, text(LEASE), "0", "1", "", "", text(patience), text(position));
    }

    /** An attempt that waits, and asks for several fencing tokens. */
    List<Long> waitForMany(String token, int fencingTokens) {
        return acquire(token, text(LEASE), "0", text(fencingTokens), "", "", "5000");
    }

    /** An attempt that does not wait, of who counts votes: status, value, number, marker, time. */
    List<Object> vote(String token, long floor) {
        return voteWith(token, text(LEASE), text(floor), "1", "", "", "", "", "", "votes");
    }

    /** The same, of who waits. */
    List<Object> voteAndWait(String token, long patience) {
        return voteWith(token, text(LEASE), "0", "1", "", "", text(patience), "", "", "votes");
    }

    private List<Object> voteWith(String... arguments) {
        return redis.eval(LockScript.ACQUIRE.text(), ScriptOutputType.MULTI, KEYS_OF_GRANT, arguments);
    }

    /** Whether an attempt is answered with a bare number. */
    boolean isAnsweredByANumber(String token) {
        return send(token, text(LEASE), "0", "2").size() == 1;
    }

    /** A bare number as the three that it is short for. */
    private List<Long> acquire(String... arguments) {
        List<Long> reply = send(arguments);
        return reply.size() == 1 ? List.of(1L, reply.get(0), 0L) : reply;
    }

    /** The client makes a list of a bare number. */
    private List<Long> send(String... arguments) {
        return redis.eval(LockScript.ACQUIRE.text(), ScriptOutputType.MULTI, KEYS_OF_GRANT, arguments);
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
    long releaseKept(String token, long fencingToken, String patience, long minimum, long granted) {
        return release(new String[] {token, text(fencingToken), patience, "", "", text(minimum), text(granted)});
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

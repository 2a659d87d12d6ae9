package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Runs the unmodified scripts on one lock, without the backend. The server's history is old enough for grants, and each
 * grant checks it.
 */
final class Scripts {

    static final String KEY = "order:42";
    static final LockKeys KEYS = new KeySpace("lock:").keysOf(KEY);
    static final String[] LOCK_AND_WAITERS = {KEYS.lock(), KEYS.waiters()};

    private static final String NO_GRACE = "0";

    private static final int ARGUMENTS = 7;
    private static final Long REFUSED = -2L;

    private static final long LEASE = 300_000;

    private static final AtomicInteger LOOKS = new AtomicInteger();

    private final RedisCommands<String, String> redis;
    private final String marker;

    Scripts(RedisCommands<String, String> redis) {
        this.redis = redis;
        this.marker = new GuardedScripts(redis).markFirst();
    }

    /** Stored value for a token with fencing token 7. */
    static String stored(String token) {
        return stored(7, token);
    }

    static String stored(long fencingToken, String token) {
        return "%016d %s".formatted(fencingToken, token);
    }

    /** Stored value for a token whose attempt requested the time. */
    static String stored(long fencingToken, long micros, String token) {
        return "%016d@%d %s".formatted(fencingToken, micros, token);
    }

    /** An attempt that does not wait. */
    List<Long> acquire(String token, long lease) {
        return acquire(token, lease, 0);
    }

    /** An attempt with a known fencing token. */
    List<Long> acquire(String token, long lease, long floor) {
        return acquire(token, text(lease), text(floor), "1");
    }

    /** An attempt for several fencing tokens. */
    List<Long> acquireMany(String token, int fencingTokens, long floor) {
        return acquire(token, text(LEASE), text(floor), text(fencingTokens));
    }

    /** An attempt that waits, with its position from an earlier answer, or 0. */
    List<Long> waitFor(String token, long patience, long position) {
        return position == 0
                ? acquire(token, text(LEASE), "0", "1", text(patience))
                : acquire(token, text(LEASE), "0", "1", text(patience), text(position));
    }

    /** An attempt that does not wait, of who counts votes: status, value, number, marker, time. */
    List<Object> vote(String token, long floor) {
        return eval(token, text(LEASE), text(floor), "1", "", "", "votes");
    }

    /** The same for a waiter. */
    List<Object> voteAndWait(String token, long patience) {
        return eval(token, text(LEASE), "0", "1", text(patience), "", "votes");
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

    /**
     * Token, lease, floor, number of fencing tokens, patience, position and request for the time. Each call has its own
     * note, so none relies on another's.
     */
    private <T> List<T> eval(String... arguments) {
        String[] all = Arrays.copyOf(arguments, ARGUMENTS);
        Arrays.fill(all, arguments.length, ARGUMENTS, "");
        String patience = all[4];
        return only(redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                new String[] {
                    KEYS.lock(),
                    KEYS.waiters(),
                    KEYS.fence(),
                    GuardedScripts.HISTORY,
                    GuardedScripts.CHECKED + LOOKS.incrementAndGet(),
                    GuardedScripts.TAKEOVERS
                },
                Stream.concat(
                                Stream.of(marker, NO_GRACE, patience, all[0], all[1], all[2]),
                                Stream.concat(
                                        Stream.of(patience.isEmpty() ? "" : "=", all[3], all[5]),
                                        Stream.of(all[6]).filter(timed -> !timed.isEmpty())))
                        .toArray(String[]::new)));
    }

    /** The reply to a single attempt; a list for a bare number. Throws the server's error. */
    @SuppressWarnings("unchecked")
    static <T> List<T> only(List<Object> reply) {
        if (reply.get(0).equals(REFUSED)) {
            throw new RedisCommandExecutionException((String) reply.get(3));
        }
        return (List<T>) values(reply);
    }

    /** The parts of a reply with a value, and the parts before them. */
    static List<?> values(List<?> reply) {
        int end = reply.size();
        while (reply.get(end - 1).equals("")) {
            end--;
        }
        return reply.subList(0, end);
    }

    /** A call for one lock. */
    String renew(String token, long lease) {
        return renew(List.of(KEYS.lock()), token, text(lease), "7");
    }

    /** A call for many locks; token, lease and fencing token of each: the statuses, and the problem. */
    String renew(List<String> locks, String... holds) {
        List<Object> reply = redis.eval(
                LockScript.RENEW.text(),
                ScriptOutputType.MULTI,
                Stream.concat(locks.stream(), Stream.of(GuardedScripts.HISTORY, KEYS.fence(), GuardedScripts.TAKEOVERS))
                        .toArray(String[]::new),
                Stream.concat(Stream.of(marker, NO_GRACE, NO_GRACE), Stream.of(holds))
                        .toArray(String[]::new));
        assertThat(reply).hasSize(4).endsWith("", 0L);
        return reply.get(0) + "" + reply.get(1);
    }

    /** A release of a lock that may have a minimum hold, which is over. */
    long release(String token, long fencingToken) {
        return release(token, "", "", "", "0", text(fencingToken));
    }

    /** A release by an instance that continues to wait. */
    long releaseAndQueue(String token, long patience) {
        return release(token, "", "", text(patience));
    }

    /** A release on a server that does not count the listeners at others. */
    long releaseUncounted(String token) {
        return release(token, "", "uncounted");
    }

    /** A release of a lock with a minimum hold, by an instance that continues to wait if it has a patience. */
    long releaseKept(String token, long fencingToken, String patience, long minimum) {
        return release(token, "", "", patience, text(minimum), text(fencingToken));
    }

    /** The end of a wait. */
    long withdraw(String token) {
        return release(token, "", "", "ends0");
    }

    /** The end of a wait, on a server that does not count the listeners at others. */
    long withdrawUncounted(String token) {
        return release(token, "", "uncounted", "ends0");
    }

    private long release(String... arguments) {
        List<Long> statuses =
                redis.eval(LockScript.RELEASE.text(), ScriptOutputType.MULTI, LOCK_AND_WAITERS, arguments);
        return statuses.get(0);
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}

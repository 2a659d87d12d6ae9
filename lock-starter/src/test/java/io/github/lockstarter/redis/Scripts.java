package io.github.lockstarter.redis;

import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** Runs the scripts as they are, on one lock, without the backend around them. */
final class Scripts {

    static final String KEY = "order:42";
    static final LockKeys KEYS = new KeySpace("lock:").keysOf(KEY);

    private static final String MAILBOXES = "lock:mailbox:";
    private static final long LEASE = 30_000;
    private static final long DAY = 86_400_000;

    private final RedisCommands<String, String> redis;

    Scripts(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    /** An attempt that does not wait. */
    List<Long> acquire(String token, long lease) {
        return acquire(token, lease, 0);
    }

    /** An attempt that knows a fencing token. */
    List<Long> acquire(String token, long lease, long floor) {
        return acquire(token, text(lease), text(floor), text(DAY), "1");
    }

    /** An attempt that asks for several fencing tokens. */
    List<Long> acquireMany(String token, int fencingTokens, long floor) {
        return acquire(token, text(LEASE), text(floor), text(DAY), text(fencingTokens));
    }

    /** An attempt that waits. */
    List<Long> waitFor(String token, long patience, long position) {
        return acquire(
                token, text(LEASE), "0", text(DAY), "1", text(patience), text(position), MAILBOXES, KEYS.payload());
    }

    private List<Long> acquire(String... arguments) {
        return redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                new String[] {KEYS.lock(), KEYS.fence(), KEYS.waiters()},
                arguments);
    }

    long renew(String token, long lease) {
        Long status = redis.eval(
                LockScript.RENEW.text(), ScriptOutputType.INTEGER, new String[] {KEYS.lock()}, token, text(lease));
        return status;
    }

    long release(String token, long fencingToken) {
        return release(new String[] {token, text(fencingToken), MAILBOXES, KEYS.payload(), "16"});
    }

    /** A release of an instance that goes on waiting. */
    long releaseAndQueue(String token, long patience) {
        return release(new String[] {token, "0", MAILBOXES, KEYS.payload(), "16", text(patience)});
    }

    private long release(String[] arguments) {
        Long status = redis.eval(
                LockScript.RELEASE.text(),
                ScriptOutputType.INTEGER,
                new String[] {KEYS.lock(), KEYS.fence(), KEYS.waiters()},
                arguments);
        return status;
    }

    long withdraw(String token) {
        Long status = redis.eval(
                LockScript.WITHDRAW.text(),
                ScriptOutputType.INTEGER,
                new String[] {KEYS.lock(), KEYS.waiters()},
                token,
                instanceOf(token),
                MAILBOXES,
                KEYS.payload(),
                "16");
        return status;
    }

    private static String instanceOf(String token) {
        return token.substring(0, token.indexOf(':'));
    }

    private static String text(long number) {
        return Long.toString(number);
    }
}

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
        return acquire(token, lease, floor, 0, 0);
    }

    /** An attempt that waits. */
    List<Long> waitFor(String token, long patience, long position) {
        return acquire(token, 30_000, 0, patience, position);
    }

    private List<Long> acquire(String token, long lease, long floor, long patience, long position) {
        return redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                new String[] {KEYS.lock(), KEYS.fence(), KEYS.waiters()},
                token,
                text(lease),
                text(floor),
                text(DAY),
                instanceOf(token),
                text(patience),
                text(position));
    }

    long renew(String token, long lease) {
        Long status = redis.eval(
                LockScript.RENEW.text(), ScriptOutputType.INTEGER, new String[] {KEYS.lock()}, token, text(lease));
        return status;
    }

    long release(String token, long fencingToken) {
        Long status = redis.eval(
                LockScript.RELEASE.text(),
                ScriptOutputType.INTEGER,
                new String[] {KEYS.lock(), KEYS.fence(), KEYS.waiters()},
                token,
                text(fencingToken),
                MAILBOXES,
                KEYS.payload(),
                "16");
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

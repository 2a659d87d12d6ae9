package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs the scripts that look at the history as they are, on one lock, with a grace of a minute. */
final class GuardedScripts {

    static final String HISTORY = "lock:history";
    static final String CHECKED = HISTORY + ":checked";
    static final String TAKEOVERS = HISTORY + ":takeovers";
    static final long GRACE = 600_000;
    static final long QUIET = 100_000;
    static final String LEASE = "300000";

    private final RedisCommands<String, String> redis;
    private int looks;

    GuardedScripts(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    /** An attempt without a wait, by a client that knows this marker, or none. */
    List<Object> acquire(String token, String known) {
        return acquire(token, known, "1");
    }

    List<Object> acquireMany(String token, String known) {
        return acquire(token, known, "8");
    }

    /** As a client does it: a look that the server did a moment ago will do. */
    List<Object> acquireAsChecked(String token, String known) {
        return acquireAsChecked(token, known, 0);
    }

    /** The same, by a client that knows a fencing token. */
    List<Object> acquireAsChecked(String token, String known, long floor) {
        return acquire(CHECKED, token, known, "1", floor);
    }

    /** Looks itself: it has a note of its own. */
    private List<Object> acquire(String token, String known, String fencingTokens) {
        looks++;
        return acquire(CHECKED + looks, token, known, fencingTokens, 0);
    }

    private List<Object> acquire(String checked, String token, String known, String fencingTokens, long floor) {
        return Scripts.only(redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                new String[] {KEYS.lock(), KEYS.waiters(), KEYS.fence(), HISTORY, checked, TAKEOVERS},
                known,
                Long.toString(GRACE),
                "",
                token,
                LEASE,
                Long.toString(floor),
                "",
                fencingTokens));
    }

    /** An attempt that replaces a token. */
    List<Object> replace(String replaced, String token, String known) {
        looks++;
        return Scripts.only(redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                new String[] {KEYS.lock(), KEYS.waiters(), KEYS.fence(), HISTORY, CHECKED + looks, TAKEOVERS},
                known,
                Long.toString(GRACE),
                "",
                token,
                LEASE,
                "0",
                "",
                "1",
                "",
                "",
                replaced));
    }

    List<Object> renew(String token, String known) {
        return renew(token, known, 7);
    }

    List<Object> renew(String token, String known, long fencingToken) {
        return renew(known, new Hold(KEYS.lock(), token, fencingToken));
    }

    record Hold(String lock, String token, long fencingToken) {}

    /** A call for several locks. */
    List<Object> renew(String known, Hold... holds) {
        List<String> arguments = new ArrayList<>(List.of(known, Long.toString(GRACE), Long.toString(QUIET)));
        for (Hold hold : holds) {
            arguments.addAll(List.of(hold.token, LEASE, Long.toString(hold.fencingToken)));
        }
        return redis.eval(
                LockScript.RENEW.text(),
                ScriptOutputType.MULTI,
                Stream.concat(Stream.of(holds).map(Hold::lock), Stream.of(HISTORY, KEYS.fence(), TAKEOVERS))
                        .toArray(String[]::new),
                arguments.toArray(new String[0]));
    }

    /** As the instance sends it that waits for these locks. */
    List<String> beat(String instance, String known, String... locks) {
        return redis.eval(
                LockScript.BEAT.text(),
                ScriptOutputType.MULTI,
                Stream.concat(Stream.of(HISTORY, TAKEOVERS), Stream.of(locks)).toArray(String[]::new),
                known,
                Long.toString(GRACE),
                instance);
    }

    List<Object> inspect(String known) {
        return redis.eval(
                LockScript.INSPECT.text(),
                ScriptOutputType.MULTI,
                new String[] {KEYS.lock(), KEYS.waiters(), HISTORY, TAKEOVERS},
                known,
                Long.toString(GRACE));
    }

    /** Writes the trace again, with a plus sign or without. */
    Long acknowledge(String instance, String begin, String sign) {
        return redis.eval(
                LockScript.ACKNOWLEDGE.text(),
                ScriptOutputType.INTEGER,
                new String[] {TAKEOVERS},
                instance,
                begin,
                sign);
    }

    static String markOf(String instance) {
        return "doubt:" + instance;
    }

    static String traceOf(String instance) {
        return "taken:" + instance;
    }

    /** A mark or a trace; empty if there is none. */
    String stored(String field) {
        return Objects.requireNonNullElse(redis.hget(TAKEOVERS, field), "");
    }

    void store(String field, Object... parts) {
        redis.hset(TAKEOVERS, field, Stream.of(parts).map(Object::toString).collect(Collectors.joining(" ")));
    }

    /** The stored marker. */
    String marker() {
        return redis.get(HISTORY);
    }

    /** Makes the history that old. */
    String grace(long ageMillis) {
        return mark(replid(), ageMillis, "grace");
    }

    String mark(String replid, long ageMillis, String kind) {
        return mark(replid + ":" + (micros() - ageMillis * 1000) + ':' + kind);
    }

    private String mark(String marker) {
        redis.set(HISTORY, marker);
        return marker;
    }

    /** Makes the history a first one: the server was new when it started. */
    String markFirst() {
        return mark(replid() + ":1700000000000000:first");
    }

    /** The server's id of its history. */
    String replid() {
        return redis.info("replication")
                .lines()
                .filter(line -> line.startsWith("master_replid:"))
                .map(line -> line.substring("master_replid:".length()))
                .findFirst()
                .orElseThrow();
    }

    /** The server's clock. */
    long micros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }
}

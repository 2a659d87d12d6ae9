package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.history.Milliseconds;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.spi.RenewCommand;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Calls of the script that renews, and its replies; {@link RenewBatch} decides what a call carries.
 *
 * @param keySpace what the keys are called
 */
public record RenewScript(KeySpace keySpace) {

    /** One call for all of them, which share a history, told of the marker that is known. */
    public ScriptCall<List<Object>> renew(List<RenewCommand> commands, ServerHistory history, String known) {
        return call(locksAnd(commands, history.key()), commands, termsOf(history, known, ScriptCall.ABSENT));
    }

    /** The same without a look at the history. */
    public ScriptCall<List<Object>> renewWithoutLook(List<RenewCommand> commands) {
        String absent = ScriptCall.ABSENT;
        return call(locksAnd(commands), commands, absent, absent, absent, absent);
    }

    /** Renews a lock, or brings it back if the server may have forgotten it. */
    public ScriptCall<List<Object>> reclaim(RenewCommand command, ServerHistory history, String known) {
        LockKeys keys = keySpace.keysOf(command.key());
        return call(
                new String[] {keys.lock(), history.key(), keys.fence()},
                List.of(command),
                termsOf(history, known, Long.toString(command.fencingToken())));
    }

    private static String[] termsOf(ServerHistory history, String known, String fencingToken) {
        ServerHistory.Terms terms = history.terms();
        return new String[] {known, terms.graceMillis(), terms.quietMillis(), fencingToken};
    }

    private String[] locksAnd(List<RenewCommand> commands, String... others) {
        String[] keys = new String[commands.size() + others.length];
        for (int i = 0; i < commands.size(); i++) {
            keys[i] = keySpace.lockOf(commands.get(i).key());
        }
        System.arraycopy(others, 0, keys, commands.size(), others.length);
        return keys;
    }

    private static String[] arguments(List<RenewCommand> commands, String... common) {
        String[] arguments = Arrays.copyOf(common, common.length + 2 * commands.size());
        int next = common.length;
        Duration lease = Duration.ZERO;
        String leaseMillis = Milliseconds.text(lease);
        for (RenewCommand command : commands) {
            if (!command.lease().equals(lease)) { // rarely: most locks have the same
                lease = command.lease();
                leaseMillis = Milliseconds.text(lease);
            }
            arguments[next] = command.token().value();
            arguments[next + 1] = leaseMillis;
            next += 2;
        }
        return arguments;
    }

    /** Ends a marker of the history, which has no end of its own: to the script it is a lock and its token. */
    public static ScriptCall<List<Object>> expire(String key, String marker, Duration lease) {
        String absent = ScriptCall.ABSENT;
        return ScriptCall.ofList(
                LockScript.RENEW, new String[] {key}, absent, absent, absent, absent, marker, Milliseconds.text(lease));
    }

    private static ScriptCall<List<Object>> call(String[] keys, List<RenewCommand> commands, String... terms) {
        return ScriptCall.ofList(LockScript.RENEW, keys, arguments(commands, terms));
    }

    /**
     * The reply of the script that renews.
     *
     * @param statuses one per lock
     * @param problem why the last lock with the status {@link #REFUSED} was refused; empty if none was
     * @param marker of the server's history; empty if it is the caller's
     * @param retryAfter how long the history stays too young for what has the status {@link #DEFERRED} or
     *     {@link #FORGOTTEN}
     */
    public record Reply(String statuses, String problem, String marker, Duration retryAfter) {

        /** The token has the lock, and its lease was extended. */
        static final char RENEWED = '1';

        /** The token does not have the lock. */
        static final char NOT_HELD = '0';

        /** Renewals have to wait. */
        static final char DEFERRED = 'd';

        /** No token has the lock, and the server may have forgotten it. */
        static final char FORGOTTEN = 'f';

        /** The outcome for the lock is unknown. */
        static final char REFUSED = '?';

        /** Reads three texts and a number. */
        public static Reply of(List<Object> parts) {
            return new Reply(
                    (String) parts.get(0), (String) parts.get(1), (String) parts.get(2), Duration.ofMillis((Long)
                            parts.get(3)));
        }

        /** Refuses what is no reply for so many locks. */
        void check(int locks) {
            if (statuses.length() != locks) {
                throw new IllegalArgumentException("Not a reply for " + locks + " locks");
            }
            for (int i = 0; i < locks; i++) {
                char status = statuses.charAt(i);
                boolean known = status == RENEWED || status == NOT_HELD || status == DEFERRED || status == FORGOTTEN;
                if (!known && (status != REFUSED || problem.isEmpty())) {
                    throw new IllegalArgumentException("Not a reply of the renew script");
                }
            }
        }

        /** What became of a lock. */
        char status(int lock) {
            return statuses.charAt(lock);
        }
    }
}

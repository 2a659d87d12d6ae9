package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.history.Milliseconds;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.spi.RenewCommand;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the scripts that renew, and their replies; {@link RenewBatch} decides what a call carries.
 *
 * @param keySpace what the keys are called
 */
public record RenewScript(KeySpace keySpace) {

    /** One call for all of them, which share a history, told of the marker that is known. */
    public ScriptCall<Reply> renew(List<RenewCommand> commands, ServerHistory history, String known) {
        int count = commands.size();
        String[] keys = Arrays.copyOf(locksOf(commands), count + 1);
        keys[count] = history.key();
        return call(
                LockScript.RENEW,
                keys,
                arguments(
                        commands,
                        known,
                        history.terms().graceMillis(),
                        history.terms().quietMillis()));
    }

    /** The same without a look at the history. */
    public ScriptCall<Reply> renewWithoutLook(List<RenewCommand> commands) {
        return call(
                LockScript.RENEW,
                locksOf(commands),
                arguments(commands, ScriptCall.ABSENT, ScriptCall.ABSENT, ScriptCall.ABSENT));
    }

    private String[] locksOf(List<RenewCommand> commands) {
        String[] locks = new String[commands.size()];
        for (int i = 0; i < locks.length; i++) {
            locks[i] = keySpace.lockOf(commands.get(i).key());
        }
        return locks;
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

    /** Renews a lock, or brings it back if the server may have forgotten it. */
    public ScriptCall<Reply> reclaim(RenewCommand command, ServerHistory history, String known) {
        LockKeys keys = keySpace.keysOf(command.key());
        return call(
                LockScript.RECLAIM,
                new String[] {keys.lock(), keys.fence(), history.key()},
                known,
                history.terms().graceMillis(),
                history.terms().quietMillis(),
                command.token().value(),
                Milliseconds.text(command.lease()),
                Long.toString(command.fencingToken()));
    }

    /** Ends a marker of the history, which has no end of its own: to the script it is a lock and its token. */
    public static ScriptCall<Reply> expire(String key, String marker, Duration lease) {
        return call(
                LockScript.RENEW,
                new String[] {key},
                ScriptCall.ABSENT,
                ScriptCall.ABSENT,
                ScriptCall.ABSENT,
                marker,
                Milliseconds.text(lease));
    }

    private static ScriptCall<Reply> call(LockScript script, String[] keys, String... arguments) {
        return new ScriptCall<>(script, Output::new, keys, arguments);
    }

    /**
     * The reply of the scripts that renew.
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

    /** Takes the reply of the scripts that renew: three texts and a number. */
    static final class Output extends CommandOutput<String, String, @Nullable Reply> {

        private static final int TEXTS = 3;

        private final String[] texts = new String[TEXTS];
        private int size;

        Output() {
            super(StringCodec.UTF8, null);
        }

        @Override
        public void multi(int count) {}

        @Override
        public void set(@Nullable ByteBuffer bytes) {
            texts[size] = bytes == null ? "" : codec.decodeValue(bytes);
            size++;
        }

        /** The last part. Where it comes too early, this has no reply. */
        @Override
        public void set(long millis) {
            if (size == TEXTS) {
                output = new Reply(texts[0], texts[1], texts[2], Duration.ofMillis(millis));
            }
        }
    }
}

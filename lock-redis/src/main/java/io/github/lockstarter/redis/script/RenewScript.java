package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the script that renews, and its replies.
 *
 * @param keySpace what the keys are called
 * @param histories the history that the locks belong to
 * @param failures says what a refusal means
 */
public record RenewScript(KeySpace keySpace, ClientHistories histories, RedisExceptionTranslator failures) {

    /**
     * Most locks of one call. The server does nothing else meanwhile: 50 keep it busy for about 0.3 ms, and are, per
     * lock, no dearer than 500 (docs/evidence.md).
     */
    static final int MOST = 50;

    private static final RenewResult NOT_HELD = new RenewResult.NotHeld();

    /** The next renewal, at once, is another call. It is one of the engine's, so that no release is overtaken. */
    private static final RenewResult AT_ONCE = new RenewResult.Deferred(Duration.ZERO);

    /**
     * Decides what travels together: all locks, if they are on one server. In a cluster each travels alone: hardly two
     * share a slot, and a call with several keys is refused while their slot moves. So it does while the server
     * recovers, in a call that can bring it back. Where the marker is on another server than the lock, since their slot
     * is being moved, it travels without: where renewals never have to wait, the holder of the lock is the same either
     * way.
     */
    public List<Batch> batches(List<RenewCommand> commands) {
        List<Batch> batches = new ArrayList<>(1 + commands.size() / (histories.isPerSlot() ? 1 : MOST));
        int from = 0;
        while (from < commands.size()) {
            ServerHistory history = histories.ofKey(commands.get(from).key());
            boolean isMarked = !history.isParted();
            boolean reclaims = isMarked && history.isRecovering();
            int most = reclaims || histories.isPerSlot() ? 1 : MOST;
            List<RenewCommand> together = commands.subList(from, Math.min(from + most, commands.size()));
            String known = isMarked ? history.known() : ScriptCall.ABSENT;
            List<String> others = new ArrayList<>(isMarked ? List.of(history.key()) : List.of());
            String newest = ScriptCall.ABSENT;
            if (reclaims) {
                RenewCommand only = together.get(0);
                others.add(keySpace.keysOf(only.key()).fence());
                newest = Long.toString(only.fencingToken());
            }
            ScriptCall call = call(together, others, known, history.terms(), newest);
            batches.add(new Batch(together, call, history, known, isMarked));
            from += together.size();
        }
        return batches;
    }

    /** One call for all of them, which share a history. */
    private ScriptCall call(
            List<RenewCommand> commands, List<String> others, String known, ServerHistory.Terms terms, String newest) {
        List<String> keys = new ArrayList<>(commands.size() + others.size());
        String[] arguments = new String[4 + 2 * commands.size()];
        arguments[0] = known;
        arguments[1] = ScriptCall.millis(terms.grace());
        arguments[2] = ScriptCall.millis(terms.quiet());
        arguments[3] = newest;
        int next = 4;
        Duration lease = Duration.ZERO;
        String leaseMillis = ScriptCall.millis(lease);
        for (RenewCommand command : commands) {
            if (!command.lease().equals(lease)) { // rarely: most locks have the same
                lease = command.lease();
                leaseMillis = ScriptCall.millis(lease);
            }
            keys.add(KeySpace.slotOf(keySpace.lockOf(command.key()), command.slot()));
            arguments[next] = command.token().value();
            arguments[next + 1] = leaseMillis;
            next += 2;
        }
        keys.addAll(others);
        return new ScriptCall(LockScript.RENEW, keys.toArray(String[]::new), arguments);
    }

    private static RenewResult unknown(RedisFailure failure) {
        return new RenewResult.Unknown(failure.problem(), failure.cause());
    }

    /**
     * Renewals that one call of the script carries. A failed call fails all of them; what the script finds out about a
     * lock is that lock's own result.
     */
    public final class Batch implements Reader<List<RenewResult>> {

        private final List<RenewCommand> commands;
        private final ScriptCall call;
        private final ServerHistory history;
        private final String known;

        /** Whether the marker travels with it, so that it says whether a lock that is absent may be forgotten. */
        private final boolean isMarked;

        private Batch(
                List<RenewCommand> commands, ScriptCall call, ServerHistory history, String known, boolean isMarked) {
            this.commands = commands;
            this.call = call;
            this.history = history;
            this.known = known;
            this.isMarked = isMarked;
        }

        /** The key of one of the locks. */
        public String key() {
            return commands.get(0).key();
        }

        /** How many there are. */
        public int size() {
            return commands.size();
        }

        /** What to send. */
        public ScriptCall call() {
            return call;
        }

        @Override
        public List<RenewResult> of(List<Object> parts, boolean isRepeated) {
            Reply reply = Reply.of(parts);
            if (reply.statuses().length() != commands.size()) {
                throw new IllegalArgumentException("Not a reply for " + commands.size() + " locks");
            }
            learn(reply);
            RenewResult renewed = new RenewResult.Renewed(reply.marker().isEmpty() ? known : reply.marker());
            RenewResult deferred = reply.retryAfter().isZero() ? AT_ONCE : new RenewResult.Deferred(reply.retryAfter());
            RenewResult absent = isMarked ? NOT_HELD : unknown(failures.ofParting());
            List<RenewResult> results = new ArrayList<>(commands.size());
            for (int i = 0; i < commands.size(); i++) {
                results.add(
                        switch (reply.status(i)) {
                            case Reply.RENEWED -> renewed;
                            case Reply.DEFERRED -> deferred;
                            case Reply.FORGOTTEN -> AT_ONCE;
                            case Reply.REFUSED -> unknown(failures.ofError(reply.problem()));
                            case Reply.NOT_HELD -> absent;
                            default -> throw new IllegalArgumentException("Not a reply of the renew script");
                        });
            }
            return results;
        }

        /** A server that was demoted refuses each renewal inside the script, and says so in its reply. */
        @Override
        public @Nullable Throwable refusalIn(List<Object> parts) {
            Reply reply = Reply.of(parts);
            return reply.problem().isEmpty() ? null : new RedisCommandExecutionException(reply.problem());
        }

        private void learn(Reply reply) {
            history.learn(reply.marker());
            if (reply.statuses().indexOf(Reply.DEFERRED) >= 0) {
                ServerHistory.Terms terms = history.terms();
                history.recovers(reply.retryAfter().plus(terms.grace()).minus(terms.quiet()));
            } else if (!reply.retryAfter().isZero()) {
                history.recovers(reply.retryAfter());
            }
        }

        @Override
        public List<RenewResult> failed(RedisFailure failure) {
            RenewResult result = unknown(failure);
            if (isMarked && history.terms().quiet().isZero() && RedisExceptionTranslator.isOfParting(failure)) {
                history.parted();
                result = AT_ONCE;
            } else if (failure.cause() instanceof RedisNoScriptException) {
                result = AT_ONCE;
            }
            return Collections.nCopies(commands.size(), result);
        }
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
    record Reply(String statuses, String problem, String marker, Duration retryAfter) {

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
        static Reply of(List<Object> parts) {
            return new Reply(
                    (String) parts.get(0), (String) parts.get(1), (String) parts.get(2), Duration.ofMillis((Long)
                            parts.get(3)));
        }

        /** What became of a lock. */
        char status(int lock) {
            return statuses.charAt(lock);
        }
    }
}

package io.github.lockstarter.redis;

import io.github.lockstarter.redis.CallQueue.Sender;
import io.github.lockstarter.redis.ScriptRunner.Reader;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.settings.RedisSettings.KeyLayout;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.Slots;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

record RenewScript(ScriptRunner runner, KeySpace keySpace, ClientHistories histories, RedisExceptionTranslator failures)
        implements Sender<RenewCommand, RenewResult> {

    private static final RenewResult NOT_HELD = new RenewResult.NotHeld();

    /** Retries in another call through the engine, so that it cannot overtake a release. */
    private static final RenewResult AT_ONCE = new RenewResult.Deferred(Duration.ZERO);

    /**
     * Locks travel alone in a cluster, where they rarely share a slot and a call with several locks fails while its
     * slot moves.
     */
    @Override
    public boolean isCollected(RenewCommand command) {
        return keySpace.layout() == KeyLayout.STANDALONE;
    }

    @Override
    public CompletionStage<List<RenewResult>> send(List<RenewCommand> commands) {
        Batch batch = new Batch(commands, histories.ofKey(commands.get(0).key()));
        return runner.run(batch.call(), batch);
    }

    /**
     * Compares the servers' histories without renewing a lock, so that a grace period begins now, not with the next
     * command. Returns at once.
     */
    public void check() {
        histories.toCheck().forEach(history -> {
            CheckedBatch check = new CheckedBatch(history);
            runner.runIfConnected(check.call(), check);
        });
    }

    /** Renews the mark of readers in the lock, too. */
    private static boolean isOfReader(RenewCommand command) {
        return Slots.OF_READERS.contains(command.slot());
    }

    private static RenewResult unknown(RedisFailure failure) {
        return new RenewResult.Unknown(failure.problem(), failure.cause());
    }

    /** Renewals of one call, whose locks share a history. */
    class Batch implements Reader<List<RenewResult>> {

        private final List<RenewCommand> commands;
        private final ServerHistory history;
        private final String known;

        Batch(List<RenewCommand> commands, ServerHistory history) {
            this.commands = commands;
            this.history = history;
            this.known = history.known();
        }

        ScriptCall call() {
            List<String> keys = new ArrayList<>(commands.size() + 3);
            List<String> arguments = new ArrayList<>(3 + 3 * commands.size());
            arguments.add(known);
            arguments.add(history.terms().graceText());
            arguments.add(ScriptCall.millis(history.terms().quiet()));
            Duration lease = Duration.ZERO;
            String leaseMillis = ScriptCall.millis(lease);
            for (RenewCommand command : commands) {
                if (!command.lease().equals(lease)) { // rarely: most locks have the same
                    lease = command.lease();
                    leaseMillis = ScriptCall.millis(lease);
                }
                String lock = keySpace.lockOf(command.key());
                String fencingToken = Long.toString(command.fencingToken());
                if (isOfReader(command)) {
                    keys.add(lock);
                    arguments.addAll(List.of(AcquireScript.READ_BY, leaseMillis, fencingToken));
                }
                keys.add(KeySpace.slotOf(lock, command.slot()));
                arguments.addAll(List.of(command.token().value(), leaseMillis, fencingToken));
            }
            keys.add(history.key());
            keys.add(keySpace.fenceOf(history.key()));
            if (!keySpace.isPerSlot()) { // it rarely exists: a slot that moves would refuse each renewal
                keys.add(history.takeoversKey());
            }
            return new ScriptCall(LockScript.RENEW, keys.toArray(String[]::new), arguments.toArray(String[]::new));
        }

        @Override
        public List<RenewResult> of(List<Object> parts, boolean repeated) {
            RenewReply reply = RenewReply.of(parts);
            long entries = commands.size()
                    + commands.stream().filter(RenewScript::isOfReader).count();
            if (reply.statuses().length() != entries) {
                throw new IllegalArgumentException("Not a reply for " + entries + " locks");
            }
            learn(reply);
            RenewResult renewed = new RenewResult.Renewed(reply.marker().isEmpty() ? known : reply.marker());
            RenewResult deferred = new RenewResult.Deferred(reply.retryAfter());
            List<RenewResult> results = new ArrayList<>(commands.size());
            int next = 0;
            for (RenewCommand command : commands) {
                char status = reply.status(next++);
                if (isOfReader(command)) { // both, unless the mark is lost
                    char ofSlot = reply.status(next++);
                    status = status == RenewReply.RENEWED ? ofSlot : status;
                }
                results.add(
                        switch (status) {
                            case RenewReply.RENEWED -> renewed;
                            case RenewReply.DEFERRED -> deferred;
                            case RenewReply.REFUSED -> unknown(failures.ofError(reply.problem()));
                            case RenewReply.NOT_HELD -> NOT_HELD;
                            default -> throw new IllegalArgumentException("Not a reply of the renew script");
                        });
            }
            return results;
        }

        /** A demoted server refuses each renewal inside the script, and the reply contains the error. */
        @Override
        public @Nullable Throwable refusalIn(List<Object> parts) {
            RenewReply reply = RenewReply.of(parts);
            return reply.problem().isEmpty() ? null : new RedisCommandExecutionException(reply.problem());
        }

        void learn(RenewReply reply) {
            history.learn(reply.marker());
            if (reply.statuses().indexOf(RenewReply.DEFERRED) >= 0) {
                ServerHistory.HistoryTerms terms = history.terms();
                history.recovers(reply.retryAfter().plus(terms.grace()).minus(terms.quiet()));
            } else if (!reply.retryAfter().isZero()) {
                history.recovers(reply.retryAfter());
            }
        }

        @Override
        public List<RenewResult> failed(RedisFailure failure) {
            RenewResult result = failure.cause() instanceof RedisNoScriptException ? AT_ONCE : unknown(failure);
            return Collections.nCopies(commands.size(), result);
        }
    }

    /** Counts only if the slot is believed to be at the node that was asked: the answer names its history. */
    private final class CheckedBatch extends Batch {

        private final ServerHistory history;
        private final Optional<String> node;

        CheckedBatch(ServerHistory history) {
            super(List.of(), history);
            this.history = history;
            this.node = history.node();
        }

        @Override
        void learn(RenewReply reply) {
            if (reply.problem().isEmpty() && history.node().equals(node)) {
                super.learn(reply);
                if (reply.marker().isEmpty()) {
                    history.confirm();
                }
            }
        }
    }

    /**
     * @param statuses one character per lock
     * @param problem error of the last {@link #REFUSED} lock, or of the check of the history; else empty
     * @param retryAfter until the history is old enough for {@link #DEFERRED} locks, else for grants
     */
    record RenewReply(String statuses, String problem, String marker, Duration retryAfter) {

        static final char RENEWED = '1';

        static final char NOT_HELD = '0';

        static final char DEFERRED = 'd';

        static final char REFUSED = '?';

        static RenewReply of(List<Object> parts) {
            return new RenewReply(
                    (String) parts.get(0), (String) parts.get(1), (String) parts.get(2), Duration.ofMillis((Long)
                            parts.get(3)));
        }

        char status(int lock) {
            return statuses.charAt(lock);
        }
    }
}

package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.script.RenewScript.Reply;
import io.github.lockstarter.redis.script.ScriptRunner.Reader;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Renewals that one call of the script carries. A failed call fails all of them; what the script finds
 * out about a lock is that lock's own result.
 */
public final class RenewBatch implements Reader<List<Object>, RenewBatch> {

    /**
     * Most locks of one call. The server does nothing else meanwhile: 50 keep it busy for about 0.3 ms, and are, per
     * lock, no dearer than 500 (docs/benchmarks/profile.md).
     */
    static final int MOST = 50;

    private static final RenewResult NOT_HELD = new RenewResult.NotHeld();

    /** The next renewal, at once, is another call. It is one of the engine's, so that no release is overtaken. */
    private static final RenewResult AT_ONCE = new RenewResult.Deferred(Duration.ZERO);

    /** One lock of a batch, and its result. */
    public static final class Renewal extends CompletableFuture<RenewResult> {

        private final RenewCommand command;

        public Renewal(RenewCommand command) {
            this.command = command;
        }
    }

    private final List<Renewal> renewals;
    private final ScriptCall<List<Object>> call;
    private final Look look;
    private final RedisExceptionTranslator failures;

    private RenewBatch(
            List<Renewal> renewals, ScriptCall<List<Object>> call, Look look, RedisExceptionTranslator failures) {
        this.renewals = renewals;
        this.call = call;
        this.look = look;
        this.failures = failures;
    }

    /**
     * What a call says of the history.
     *
     * @param history that the locks belong to
     * @param known the marker of it that travels with it; empty if none does
     * @param isTaken whether the marker travels with it, so that it says whether a lock that is absent may be forgotten
     */
    private record Look(ServerHistory history, String known, boolean isTaken) {

        static Look at(ServerHistory history) {
            return history.isParted()
                    ? new Look(history, ScriptCall.ABSENT, false)
                    : new Look(history, history.known(), true);
        }
    }

    /**
     * Decides what travels together: all locks, if they are on one server. In a cluster each travels alone: hardly two
     * share a slot, and a call with several keys is refused while their slot moves. So it does while the server
     * recovers, in a call that can bring it back. Where the marker is on another server than the lock, since their slot
     * is being moved, it travels without: where renewals never have to wait, the holder of the lock is the same either
     * way.
     */
    public static List<RenewBatch> of(
            List<Renewal> renewals, RenewScript script, ClientHistories histories, RedisExceptionTranslator failures) {
        List<RenewBatch> batches = new ArrayList<>(1 + renewals.size() / (histories.isPerSlot() ? 1 : MOST));
        int from = 0;
        while (from < renewals.size()) {
            RenewCommand first = renewals.get(from).command;
            Look look = Look.at(histories.ofKey(first.key()));
            boolean reclaims = look.isTaken && look.history.isRecovering();
            int most = reclaims || histories.isPerSlot() ? 1 : MOST;
            List<Renewal> together = renewals.subList(from, Math.min(from + most, renewals.size()));
            ScriptCall<List<Object>> call = reclaims
                    ? script.reclaim(first, look.history, look.known)
                    : look.isTaken
                            ? script.renew(commands(together), look.history, look.known)
                            : script.renewWithoutLook(commands(together));
            batches.add(new RenewBatch(together, call, look, failures));
            from += together.size();
        }
        return batches;
    }

    private static List<RenewCommand> commands(List<Renewal> renewals) {
        List<RenewCommand> commands = new ArrayList<>(renewals.size());
        for (Renewal renewal : renewals) {
            commands.add(renewal.command);
        }
        return commands;
    }

    /** The key of one of the locks. */
    public String key() {
        return renewals.get(0).command.key();
    }

    /** What to send. */
    public ScriptCall<List<Object>> call() {
        return call;
    }

    @Override
    public RenewBatch of(List<Object> parts) {
        Reply reply = Reply.of(parts);
        reply.check(renewals.size());
        learn(look.history, reply);
        RenewResult renewed = new RenewResult.Renewed(reply.marker().isEmpty() ? look.known : reply.marker());
        RenewResult deferred = reply.retryAfter().isZero() ? AT_ONCE : new RenewResult.Deferred(reply.retryAfter());
        RenewResult absent = look.isTaken ? NOT_HELD : unknown(failures.ofParting());
        RenewResult unknown = reply.problem().isEmpty() ? NOT_HELD : unknown(failures.ofError(reply.problem()));
        for (int i = 0; i < renewals.size(); i++) {
            renewals.get(i)
                    .complete(
                            switch (reply.status(i)) {
                                case Reply.RENEWED -> renewed;
                                case Reply.DEFERRED -> deferred;
                                case Reply.FORGOTTEN -> AT_ONCE;
                                case Reply.REFUSED -> unknown;
                                default -> absent;
                            });
        }
        return this;
    }

    /** A server that was demoted refuses each renewal inside the script, and says so in its reply. */
    @Override
    public @Nullable Throwable refusalIn(List<Object> parts) {
        Reply reply = Reply.of(parts);
        return reply.problem().isEmpty() ? null : new RedisCommandExecutionException(reply.problem());
    }

    private static void learn(ServerHistory history, Reply reply) {
        history.learn(reply.marker());
        if (reply.statuses().indexOf(Reply.DEFERRED) >= 0) {
            ServerHistory.Terms terms = history.terms();
            history.recovers(reply.retryAfter().plus(terms.grace()).minus(terms.quiet()));
        } else if (!reply.retryAfter().isZero()) {
            history.recovers(reply.retryAfter());
        }
    }

    @Override
    public RenewBatch failed(RedisFailure failure) {
        RenewResult result = unknown(failure);
        if (look.isTaken && look.history.terms().quiet().isZero() && RedisExceptionTranslator.isOfParting(failure)) {
            look.history.parted();
            result = AT_ONCE;
        } else if (failure.cause() instanceof RedisNoScriptException) {
            result = AT_ONCE;
        }
        for (Renewal renewal : renewals) {
            renewal.complete(result);
        }
        return this;
    }

    private static RenewResult unknown(RedisFailure failure) {
        return new RenewResult.Unknown(failure.problem(), failure.cause());
    }
}

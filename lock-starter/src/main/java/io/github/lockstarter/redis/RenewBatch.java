package io.github.lockstarter.redis;

import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Renewals that one call of the script carries. What befalls the call befalls all of them; what the script finds out about
 * a lock is that lock's own result.
 */
final class RenewBatch implements Answer<String, RenewBatch> {

    /**
     * Most locks of one call. The server does nothing else meanwhile: 50 keep it busy for about 0.3 ms, and are, per lock,
     * no dearer than 500 (docs/benchmarks/profile.md).
     */
    static final int MOST = 50;

    private static final RenewResult RENEWED = new RenewResult.Renewed();
    private static final RenewResult NOT_HELD = new RenewResult.NotHeld();

    /** One lock of a batch, and its result. */
    static final class Renewal extends CompletableFuture<RenewResult> {

        private final RenewCommand command;

        Renewal(RenewCommand command) {
            this.command = command;
        }
    }

    private final List<Renewal> renewals;
    private final FailureReader failures;

    private RenewBatch(List<Renewal> renewals, FailureReader failures) {
        this.renewals = renewals;
        this.failures = failures;
    }

    /**
     * Decides what travels together: all locks, if they are on one server. In a cluster each travels alone: hardly two share
     * a slot, and a call with several keys is refused while their slot moves.
     */
    static List<RenewBatch> of(List<Renewal> renewals, RedisConnector servers, FailureReader failures) {
        int most = servers.isCluster() ? 1 : MOST;
        List<RenewBatch> batches = new ArrayList<>(1 + renewals.size() / most);
        for (int from = 0; from < renewals.size(); from += most) {
            int to = Math.min(from + most, renewals.size());
            batches.add(new RenewBatch(renewals.subList(from, to), failures));
        }
        return batches;
    }

    /** What to renew. */
    List<RenewCommand> commands() {
        List<RenewCommand> commands = new ArrayList<>(renewals.size());
        for (Renewal renewal : renewals) {
            commands.add(renewal.command);
        }
        return commands;
    }

    @Override
    public RenewBatch of(String text) {
        RenewReply reply = RenewReply.of(text, renewals.size());
        RenewResult unknown = reply.problem().isEmpty() ? NOT_HELD : unknown(failures.ofError(reply.problem()));
        for (int i = 0; i < renewals.size(); i++) {
            RenewResult known = reply.isRenewed(i) ? RENEWED : NOT_HELD;
            renewals.get(i).complete(reply.isRefused(i) ? unknown : known);
        }
        return this;
    }

    @Override
    public RenewBatch failed(RedisFailure failure) {
        RenewResult unknown = unknown(failure);
        for (Renewal renewal : renewals) {
            renewal.complete(unknown);
        }
        return this;
    }

    private static RenewResult unknown(RedisFailure failure) {
        return new RenewResult.Unknown(failure.reason(), failure.cause());
    }
}

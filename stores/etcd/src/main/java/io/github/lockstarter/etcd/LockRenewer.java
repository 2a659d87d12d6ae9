package io.github.lockstarter.etcd;

import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.etcd.EtcdChannels.Member;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.grpc.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Renews the lease of a lock's key at the member that has read the key. An etcd lease has a fixed length, so a longer
 * one replaces it. Thread-safe.
 *
 * <p>Invariant: after {@code Renewed}, etcd deletes the key no earlier than the requested lease after the command was
 * sent, because the current leader renews the lease later than that. A deposed leader may answer, too (without
 * etcd-io/etcd#16822, see {@link EtcdLockBackend}); but a majority has confirmed the read, so the new leader was
 * elected after it, and a new leader restarts all leases.
 */
record LockRenewer(EtcdClient client, KeyNames names, Attempts attempts, String target) {

    /** Etcd's default limit is 128 requests in a transaction. */
    private static final int MOST_READ = 100;

    List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands, Deadline deadline) {
        List<CompletionStage<RenewResult>> results = new ArrayList<>();
        for (int from = 0; from < commands.size(); from += MOST_READ) {
            results.addAll(
                    renewTogether(commands.subList(from, Math.min(commands.size(), from + MOST_READ)), deadline));
        }
        return results;
    }

    private List<CompletableFuture<RenewResult>> renewTogether(List<RenewCommand> commands, Deadline deadline) {
        TxnRequest.Builder reading = TxnRequest.newBuilder();
        commands.forEach(command -> reading.addSuccess(Requests.get(names.slot(command.key(), command.slot()))));
        List<Renewal> renewals =
                commands.stream().map(command -> new Renewal(command, deadline)).toList();
        Member member = client.member();
        client.transact(member, reading.build(), deadline).whenComplete((response, failure) -> {
            if (failure != null) {
                renewals.forEach(renewal -> renewal.fail(failure));
                return;
            }
            for (int i = 0; i < renewals.size(); i++) {
                renewals.get(i).found(Requests.read(response, i));
            }
            keepAlive(member, renewals, deadline);
        });
        return renewals.stream().map(renewal -> renewal.result).toList();
    }

    private void keepAlive(Member member, List<Renewal> renewals, Deadline deadline) {
        List<Renewal> held = renewals.stream().filter(Renewal::isHeld).toList();
        if (held.isEmpty()) {
            return;
        }
        List<CompletableFuture<Long>> answers =
                client.keepAlive(member, held.stream().map(Renewal::lease).toList(), deadline);
        for (int i = 0; i < held.size(); i++) {
            Renewal renewal = held.get(i);
            answers.get(i).thenCompose(renewal::answered).whenComplete(renewal::complete);
        }
    }

    /** Each step runs on the thread that received the previous response. */
    private final class Renewal {

        private final RenewCommand command;
        private final Deadline deadline;
        private final CompletableFuture<RenewResult> result = new CompletableFuture<>();
        private Optional<KeyValue> key = Optional.empty();

        Renewal(RenewCommand command, Deadline deadline) {
            this.command = command;
            this.deadline = deadline;
        }

        void found(Optional<KeyValue> read) {
            key = read.filter(LockEntry.isOf(command.token()));
            if (key.isEmpty()) {
                attempts.forget(command.token());
                result.complete(new RenewResult.NotHeld());
            }
        }

        boolean isHeld() {
            return key.isPresent();
        }

        long lease() {
            return key.orElseThrow().getLease();
        }

        CompletableFuture<RenewResult> answered(long seconds) {
            KeyValue seen = key.orElseThrow();
            LockEntry entry = LockEntry.of(seen.getValue()).orElseThrow();
            if (seconds <= 0) {
                String reason =
                        "The leader of " + target + " has not caught up: it does not know the lease of the lock";
                return client.read(seen.getKey(), deadline).thenApply(found -> notRenewed(found, reason));
            }
            if (command.lease().compareTo(entry.lease()) > 0) {
                return replaceLease(seen, entry.leasedFor(command.lease()));
            }
            attempts.renewed(command.token(), lease(), seconds);
            return CompletableFuture.completedFuture(new RenewResult.Renewed());
        }

        /** Both leases are recorded, so that a release ends both: after an unknown outcome the lock may have either. */
        private CompletableFuture<RenewResult> replaceLease(KeyValue seen, LockEntry longer) {
            return client.grantLease(command.lease(), deadline).thenCompose(granted -> {
                attempts.renewed(command.token(), granted.getID(), granted.getTTL());
                TxnRequest request = TxnRequest.newBuilder()
                        .addCompare(Requests.isUnchanged(seen))
                        .addSuccess(Requests.put(seen.getKey(), longer.stored(), granted.getID()))
                        .addFailure(Requests.get(seen.getKey()))
                        .build();
                return client.transact(request, deadline).thenApply(response -> {
                    client.revokeLease(response.getSucceeded() ? seen.getLease() : granted.getID(), deadline);
                    return response.getSucceeded()
                            ? new RenewResult.Renewed()
                            : notRenewed(
                                    Requests.read(response, 0),
                                    "The lock was renewed by another call at the same time");
                });
            });
        }

        private RenewResult notRenewed(Optional<KeyValue> found, String reason) {
            return found.filter(LockEntry.isOf(command.token())).isPresent()
                    ? new RenewResult.Unknown(reason, new IllegalStateException(reason))
                    : new RenewResult.NotHeld();
        }

        void complete(RenewResult answer, @Nullable Throwable failure) {
            if (failure == null) {
                result.complete(answer);
            } else {
                fail(failure);
            }
        }

        void fail(Throwable thrown) {
            EtcdFailure failure = EtcdFailure.of(thrown, target);
            result.complete(new RenewResult.Unknown(failure.reason(), failure.cause()));
        }
    }
}

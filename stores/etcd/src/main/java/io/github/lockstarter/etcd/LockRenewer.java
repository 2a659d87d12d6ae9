package io.github.lockstarter.etcd;

import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.github.lockstarter.etcd.EtcdChannels.Member;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.grpc.Deadline;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

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

    List<CompletionStage<RenewResult>> renewKeys(List<RenewCommand> commands, Deadline deadline) {
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
        Member member = client.member();
        CompletableFuture<List<CompletableFuture<RenewResult>>> results = client.transact(
                        member, reading.build(), deadline)
                .thenApply(response -> keepAlive(member, commands, response, deadline));
        return IntStream.range(0, commands.size())
                .mapToObj(i -> results.thenCompose(all -> all.get(i)).exceptionally(this::unknown))
                .toList();
    }

    private List<CompletableFuture<RenewResult>> keepAlive(
            Member member, List<RenewCommand> commands, TxnResponse response, Deadline deadline) {
        List<Optional<KeyValue>> locks = IntStream.range(0, commands.size())
                .mapToObj(i -> Requests.read(response, i)
                        .filter(LockEntry.isOf(commands.get(i).token())))
                .toList();
        List<Long> leases =
                locks.stream().flatMap(Optional::stream).map(KeyValue::getLease).toList();
        Iterator<CompletableFuture<Long>> answers = leases.isEmpty()
                ? Collections.emptyIterator()
                : client.keepAlive(member, leases, deadline).iterator();
        return IntStream.range(0, commands.size())
                .mapToObj(i -> locks.get(i)
                        .map(lock -> answers.next()
                                .thenCompose(seconds -> renewed(commands.get(i), lock, seconds, deadline)))
                        .orElseGet(() -> notHeld(commands.get(i).token())))
                .toList();
    }

    private CompletableFuture<RenewResult> notHeld(LockToken token) {
        attempts.forget(token);
        return CompletableFuture.completedFuture(new RenewResult.NotHeld());
    }

    private CompletableFuture<RenewResult> renewed(
            RenewCommand command, KeyValue lock, long seconds, Deadline deadline) {
        LockEntry entry = LockEntry.of(lock.getValue()).orElseThrow();
        if (seconds <= 0) {
            String reason = "The leader of " + target + " has not caught up: it does not know the lease of the lock";
            return client.read(lock.getKey(), deadline).thenApply(found -> notRenewed(command, found, reason));
        }
        if (command.lease().compareTo(entry.lease()) > 0) {
            return replaceLease(command, lock, entry.leasedFor(command.lease()), deadline);
        }
        attempts.renewed(command.token(), lock.getLease(), seconds);
        return CompletableFuture.completedFuture(new RenewResult.Renewed());
    }

    /** Both leases are recorded, so that a release ends both: after an unknown outcome the lock may have either. */
    private CompletableFuture<RenewResult> replaceLease(
            RenewCommand command, KeyValue lock, LockEntry longer, Deadline deadline) {
        return client.grantLease(command.lease(), deadline).thenCompose(granted -> {
            attempts.renewed(command.token(), granted.getID(), granted.getTTL());
            TxnRequest request = TxnRequest.newBuilder()
                    .addCompare(Requests.isUnchanged(lock))
                    .addSuccess(Requests.put(lock.getKey(), longer.stored(), granted.getID()))
                    .addFailure(Requests.get(lock.getKey()))
                    .build();
            return client.transact(request, deadline).thenApply(response -> {
                client.revokeLease(response.getSucceeded() ? lock.getLease() : granted.getID(), deadline);
                return response.getSucceeded()
                        ? new RenewResult.Renewed()
                        : notRenewed(
                                command,
                                Requests.read(response, 0),
                                "The lock was renewed by another call at the same time");
            });
        });
    }

    private static RenewResult notRenewed(RenewCommand command, Optional<KeyValue> found, String reason) {
        return found.filter(LockEntry.isOf(command.token())).isPresent()
                ? new RenewResult.Unknown(reason, new IllegalStateException(reason))
                : new RenewResult.NotHeld();
    }

    private RenewResult unknown(Throwable thrown) {
        EtcdFailure failure = EtcdFailure.of(thrown, target);
        return new RenewResult.Unknown(failure.reason(), failure.cause());
    }
}

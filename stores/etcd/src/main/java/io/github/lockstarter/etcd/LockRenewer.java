package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
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
 * Renews locks: reads whether the token has the lock, and then, at the same member, renews the lease of its key. A
 * lease of etcd always has the length it was created with: a longer one takes the place of the first. Thread-safe.
 *
 * <p>Invariant: after {@code Renewed}, etcd ends the key no earlier than the lease after the command was sent. The
 * leader of the moment renews the lease after that. A leader that was deposed without knowing it may answer, too (an
 * etcd without <a href="https://github.com/etcd-io/etcd/pull/16822">etcd-io/etcd#16822</a> lets it); but the read was
 * confirmed by a majority, so the other leader was elected after the read, and a leader that is elected starts all
 * leases anew.
 */
record LockRenewer(EtcdClient client, KeyNames names, Attempts attempts, String target) {

    /** Etcd has at most 128 requests in a transaction, as it is delivered. */
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
            answers.get(i).whenComplete(renewal::answered);
        }
    }

    /** One renewal. Each step is taken by the thread that has the answer to the one before. */
    private final class Renewal {

        private final RenewCommand command;
        private final Deadline deadline;
        private final CompletableFuture<RenewResult> result = new CompletableFuture<>();
        private Optional<KeyValue> key = Optional.empty();
        private Optional<LockEntry> entry = Optional.empty();

        Renewal(RenewCommand command, Deadline deadline) {
            this.command = command;
            this.deadline = deadline;
        }

        void found(Optional<KeyValue> read) {
            key = read;
            entry = read.map(KeyValue::getValue).flatMap(LockEntry::of).filter(this::isOurs);
            if (entry.isEmpty()) {
                attempts.forget(command.token());
                result.complete(new RenewResult.NotHeld());
            }
        }

        private boolean isOurs(LockEntry found) {
            return found.token().equals(Optional.of(command.token().value()));
        }

        boolean isHeld() {
            return entry.isPresent();
        }

        long lease() {
            return key.orElseThrow().getLease();
        }

        void answered(Long seconds, @Nullable Throwable failure) {
            if (failure != null) {
                fail(failure);
            } else if (seconds <= 0) {
                client.read(key.orElseThrow().getKey(), deadline)
                        .thenApply(this::withoutLease)
                        .handle(this::orUnknown)
                        .thenAccept(result::complete);
            } else if (command.lease().compareTo(entry.orElseThrow().lease()) > 0) {
                replaceLease().handle(this::orUnknown).thenAccept(result::complete);
            } else {
                attempts.renewed(command.token(), lease(), seconds);
                result.complete(new RenewResult.Renewed());
            }
        }

        /** A leader that has not caught up does not know the lease yet: then the key is still there. */
        private RenewResult withoutLease(Optional<KeyValue> found) {
            String reason = "The leader of " + target + " does not know the lease of the lock";
            return isOurs(found)
                    ? new RenewResult.Unknown(reason, new IllegalStateException(reason))
                    : new RenewResult.NotHeld();
        }

        /** A release then ends both leases: after an outcome that is not known, the lock may have either. */
        private CompletableFuture<RenewResult> replaceLease() {
            KeyValue seen = key.orElseThrow();
            ByteString longer = entry.orElseThrow().leasedFor(command.lease()).stored();
            return client.grantLease(command.lease(), deadline).thenCompose(granted -> {
                attempts.renewed(command.token(), granted.getID(), granted.getTTL());
                TxnRequest request = TxnRequest.newBuilder()
                        .addCompare(Requests.isUnchanged(seen))
                        .addSuccess(Requests.put(seen.getKey(), longer, granted.getID()))
                        .addFailure(Requests.get(seen.getKey()))
                        .build();
                return client.transact(request, deadline).thenApply(response -> {
                    client.revokeLease(response.getSucceeded() ? seen.getLease() : granted.getID(), deadline);
                    return response.getSucceeded() ? new RenewResult.Renewed() : changed(Requests.read(response, 0));
                });
            });
        }

        private RenewResult changed(Optional<KeyValue> found) {
            String reason = "The lock was renewed by another call at the same time";
            return isOurs(found)
                    ? new RenewResult.Unknown(reason, new IllegalStateException(reason))
                    : new RenewResult.NotHeld();
        }

        private boolean isOurs(Optional<KeyValue> found) {
            return found.map(KeyValue::getValue)
                    .flatMap(LockEntry::of)
                    .filter(this::isOurs)
                    .isPresent();
        }

        void fail(Throwable failure) {
            result.complete(orUnknown(null, failure));
        }

        private RenewResult orUnknown(@Nullable RenewResult answer, @Nullable Throwable thrown) {
            if (answer != null && thrown == null) {
                return answer;
            }
            Throwable cause = thrown == null ? new IllegalStateException("No result") : thrown;
            EtcdFailure failure = EtcdFailure.of(cause, target);
            return new RenewResult.Unknown(failure.reason(), failure.cause());
        }
    }
}

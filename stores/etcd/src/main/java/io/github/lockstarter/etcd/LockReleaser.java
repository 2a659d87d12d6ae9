package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Releases locks by ending the leases of a token, which deletes the lock's key. Never deletes by key, which may have
 * another owner by then. Thread-safe.
 */
record LockReleaser(EtcdClient client, KeyNames names, Attempts attempts, WaitingKeys waiting, String target) {

    CompletableFuture<ReleaseResult> releaseKey(ReleaseCommand command, Deadline deadline) {
        return outcome(command, deadline).exceptionally(thrown -> {
            EtcdFailure failure = EtcdFailure.of(thrown, target);
            return new ReleaseResult.Unknown(failure.reason(), failure.cause());
        });
    }

    private CompletableFuture<ReleaseResult> outcome(ReleaseCommand command, Deadline deadline) {
        if (command.endsWait()) {
            CompletableFuture<Void> left = waiting.leave(command.key(), deadline);
            return free(command, deadline).thenCombine(left, (freed, done) -> new ReleaseResult.Released(0));
        }
        return command.minHold().isZero()
                ? free(command, deadline).thenApply(LockReleaser::result)
                : keep(command, deadline);
    }

    private static ReleaseResult result(boolean wasHeld) {
        return wasHeld ? new ReleaseResult.Released(0) : new ReleaseResult.NotHeld();
    }

    /** Whether the token had the lock. Afterwards it does not have it, and cannot get it. */
    private CompletableFuture<Boolean> free(ReleaseCommand command, Deadline deadline) {
        LockToken token = command.token();
        return attempts.of(token)
                .map(known -> end(known.leases(), deadline).thenApply(wasHeld -> {
                    attempts.forget(token);
                    return wasHeld;
                }))
                .orElseGet(() -> client.read(name(command), deadline)
                        .thenCompose(found -> found.filter(LockEntry.isOf(token))
                                .map(lock -> end(List.of(lock.getLease()), deadline))
                                .orElseGet(() -> CompletableFuture.completedFuture(false))));
    }

    /**
     * An attempt that may have any slot is remembered for longer than its leases last; other commands name the slot.
     */
    private ByteString name(ReleaseCommand command) {
        return names.slot(command.key(), command.slots().from());
    }

    private CompletableFuture<Boolean> end(List<Long> leases, Deadline deadline) {
        CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
        for (long lease : leases) {
            any = any.thenCombine(client.revokeLease(lease, deadline), Boolean::logicalOr);
        }
        return any;
    }

    private CompletableFuture<ReleaseResult> keep(ReleaseCommand command, Deadline deadline) {
        return client.read(name(command), deadline).thenCompose(found -> {
            if (found.filter(LockEntry.isOf(command.token())).isEmpty()) {
                attempts.forget(command.token());
                return found.isEmpty()
                        ? CompletableFuture.completedFuture(new ReleaseResult.NotHeld())
                        : keptBefore(found.get(), command.fencingToken(), deadline);
            }
            Duration rest = command.minHold().minus(sinceGrant(command.token()));
            return rest.toMillis() < 1
                    ? free(command, deadline).thenApply(LockReleaser::result)
                    : keep(command, found.get(), rest, deadline);
        });
    }

    /** Measured by this JVM from the response with the grant: etcd has no clock that clients can read. */
    private Duration sinceGrant(LockToken token) {
        long now = System.nanoTime();
        long grantedAt =
                attempts.of(token).flatMap(Attempts.TokenLeases::grantedAt).orElse(now);
        return Duration.ofNanos(now - grantedAt);
    }

    /** Replaces the lock's value and lease. Etcd keeps it for whole seconds; this instance ends it on time. */
    private CompletableFuture<ReleaseResult> keep(
            ReleaseCommand command, KeyValue lock, Duration rest, Deadline deadline) {
        LockEntry kept = LockEntry.of(lock.getValue()).orElseThrow().keptFor(rest);
        return client.grantLease(rest, deadline).thenCompose(granted -> {
            long lease = granted.getID();
            TxnRequest request = TxnRequest.newBuilder()
                    .addCompare(Requests.isUnchanged(lock))
                    .addSuccess(Requests.put(lock.getKey(), kept.stored(), lease))
                    .build();
            return client.transact(request, deadline).thenCompose(response -> {
                if (!response.getSucceeded()) {
                    client.revokeLease(lease, deadline);
                    return keep(command, deadline); // perhaps a late extension was applied
                }
                attempts.forget(command.token());
                client.revokeLease(lock.getLease(), deadline);
                client.later(rest.plusMillis(1), () -> client.revokeLease(lease, client.deadline()));
                return CompletableFuture.<ReleaseResult>completedFuture(new ReleaseResult.Kept(rest, 0));
            });
        });
    }

    private CompletableFuture<ReleaseResult> keptBefore(KeyValue found, long fencingToken, Deadline deadline) {
        Optional<LockEntry> kept = LockEntry.of(found.getValue())
                .filter(LockEntry::isKept)
                .filter(entry -> entry.lastFencingToken(found.getCreateRevision()) == fencingToken);
        return kept.isEmpty()
                ? CompletableFuture.completedFuture(new ReleaseResult.NotHeld())
                : LockAcquirer.remainingLease(client, found, kept, deadline)
                        .thenApply(rest -> new ReleaseResult.Kept(rest.orElseThrow(), 0));
    }
}

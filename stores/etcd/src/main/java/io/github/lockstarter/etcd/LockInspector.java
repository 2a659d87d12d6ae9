package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Inspects and revokes locks for an operator. Thread-safe. */
record LockInspector(EtcdClient client, KeyNames names, String target) {

    private static final Duration MESSAGE_KEPT = Duration.ofSeconds(10);

    private record ReadSlot(Optional<KeyValue> found, Optional<LockEntry> entry, long waiting) {

        long fencingToken() {
            return entry.isEmpty()
                    ? 0
                    : entry.get().lastFencingToken(found.orElseThrow().getCreateRevision());
        }

        boolean isForeign() {
            return found.isPresent() && entry.isEmpty();
        }
    }

    CompletableFuture<StoredLock> inspect(String key, int slot, Deadline deadline) {
        return read(key, slot, deadline)
                .thenCompose(seen -> stored(seen, deadline))
                .exceptionally(thrown ->
                        new StoredLock.Unknown(EtcdFailure.of(thrown, target).reason()));
    }

    private CompletableFuture<ReadSlot> read(String key, int slot, Deadline deadline) {
        ByteString name = names.slot(key, slot);
        TxnRequest request = TxnRequest.newBuilder()
                .addSuccess(Requests.get(name))
                .addSuccess(Requests.count(names.waiters(key)))
                .build();
        return client.transact(request, deadline).thenApply(response -> {
            Optional<KeyValue> found = Requests.read(response, 0);
            long waiting = response.getResponses(1).getResponseRange().getCount();
            return new ReadSlot(found, found.map(KeyValue::getValue).flatMap(LockEntry::of), waiting);
        });
    }

    private CompletableFuture<StoredLock> stored(ReadSlot seen, Deadline deadline) {
        if (seen.found().isEmpty()) {
            return CompletableFuture.completedFuture(new StoredLock.Free(0, seen.waiting()));
        }
        return LockAcquirer.remainingLease(client, seen.found().get(), seen.entry(), deadline)
                .thenApply(remaining -> seen.entry().filter(LockEntry::isKept).isPresent()
                        ? new StoredLock.Kept(remaining.orElse(Duration.ZERO), seen.fencingToken(), seen.waiting())
                        : new StoredLock.Held(
                                seen.entry().flatMap(LockEntry::holder),
                                remaining,
                                seen.fencingToken(),
                                seen.waiting()));
    }

    CompletableFuture<Revocation> revoke(String key, int slot, long fencingToken, Deadline deadline) {
        return revokeSeen(key, slot, fencingToken, deadline)
                .exceptionally(thrown ->
                        new Revocation.Unknown(EtcdFailure.of(thrown, target).reason()));
    }

    private CompletableFuture<Revocation> revokeSeen(String key, int slot, long fencingToken, Deadline deadline) {
        return read(key, slot, deadline).thenCompose(seen -> {
            if (seen.isForeign()) {
                return CompletableFuture.completedFuture(new Revocation.Foreign());
            }
            if (seen.found().isEmpty() || seen.fencingToken() != fencingToken) {
                return stored(seen, deadline).thenApply(Revocation.Stale::new);
            }
            return end(key, slot, seen, fencingToken, deadline);
        });
    }

    /** Ends the lease of the grant. If a renewal has given the lock another lease, repeats with that. */
    private CompletableFuture<Revocation> end(
            String key, int slot, ReadSlot seen, long fencingToken, Deadline deadline) {
        LockEntry entry = seen.entry().orElseThrow();
        return client.revokeLease(seen.found().orElseThrow().getLease(), deadline)
                .thenCompose(ended -> read(key, slot, deadline).thenCompose(left -> {
                    if (left.found().isPresent() && left.fencingToken() == fencingToken) {
                        return end(key, slot, left, fencingToken, deadline);
                    }
                    return ended
                            ? notifyOwner(key, entry, deadline).thenApply(sent -> new Revocation.Revoked())
                            : stored(left, deadline).thenApply(Revocation.Stale::new);
                }));
    }

    /** Completes normally even if the message could not be sent: the holder's next renewal detects the revocation. */
    private CompletableFuture<Void> notifyOwner(String key, LockEntry revoked, Deadline deadline) {
        Optional<String> owner = revoked.instanceId();
        if (owner.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        ByteString message = Mailbox.revoked(revoked.token().orElseThrow(), key);
        return client.grantLease(MESSAGE_KEPT, deadline)
                .thenCompose(lease -> client.transact(
                        TxnRequest.newBuilder()
                                .addSuccess(
                                        Requests.put(names.mail(owner.get(), lease.getID()), message, lease.getID()))
                                .build(),
                        deadline))
                .handle((sent, failure) -> null);
    }
}

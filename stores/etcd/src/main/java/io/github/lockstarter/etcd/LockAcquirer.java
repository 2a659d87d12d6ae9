package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.etcd.WaitingKeys.RefusedAttempt;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Acquires locks. Of several slots, and after a refusal, reads them first and creates the key of the first free one.
 * The key is requested only after its lease exists, so ending the lease undoes an attempt with an unknown outcome.
 * Thread-safe.
 *
 * @param busy keys whose last attempt was refused, without a signal since: a majority writes a lease and a transaction
 *     to disk, even if the key is busy, but no read. A forgotten one costs these writes; one that is free again
 *     without a signal costs the read
 */
record LockAcquirer(
        EtcdClient client,
        KeyNames names,
        Attempts attempts,
        FencingTokens tokens,
        WaitingKeys waiting,
        LockRenewer renewer,
        String target,
        Set<String> busy) {

    private static final int MOST_BUSY = 10_000;

    private static final int LONGEST_BUSY = 256;

    /** Etcd has no queue, but a waiter's position must not be that of a new caller. */
    private static final long ANY_POSITION = 1;

    /** Etcd deletes the keys of an expired lease within this time. */
    private static final Duration EXPIRY_DELAY = Duration.ofMillis(500);

    /**
     * The slots of a lock at a revision.
     *
     * @param free the slot to create; empty if all are taken, or the token has one
     */
    private record ReadSlots(Optional<ByteString> free, List<KeyValue> taken, long revision) {}

    /** For {@link #busy}; a further key replaces the oldest. */
    static Set<String> busyKeys() {
        return Collections.newSetFromMap(Collections.synchronizedMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > MOST_BUSY;
            }
        }));
    }

    CompletableFuture<AcquireResult> attemptKey(AcquireCommand command, Deadline deadline) {
        if (command.replaced().isPresent()) {
            return replace(command, command.replaced().get(), deadline).exceptionally(this::notAttempted);
        }
        CompletableFuture<AcquireResult> result = command.permits() == 1 && !busy.remove(command.key())
                ? begin(command, names.lock(command.key()), deadline)
                : readSlots(command, deadline).thenCompose(read -> read.free()
                        .map(slot -> begin(command, slot, deadline))
                        .orElseGet(() -> refused(command, read, deadline)));
        return result.exceptionally(this::notAttempted);
    }

    /** The key stays, so that its fencing tokens are those after the replaced owner's, of the same revision. */
    private CompletableFuture<AcquireResult> replace(AcquireCommand command, String replaced, Deadline deadline) {
        ByteString name = names.lock(command.key());
        return client.read(tokens.name(), deadline)
                .thenAccept(tokens::readOffset)
                .thenCompose(any -> client.range(name, deadline))
                .thenCompose(read -> {
                    List<KeyValue> taken = read.getKvsList();
                    if (taken.isEmpty()) {
                        return CompletableFuture.<AcquireResult>completedFuture(
                                new AcquireResult.Contended(Optional.of(Duration.ZERO), Waiting.NEW));
                    }
                    KeyValue found = taken.get(0);
                    return LockEntry.isOf(replaced).test(found)
                            ? replace(command, replaced, found, deadline)
                            : refused(
                                    command,
                                    new ReadSlots(
                                            Optional.empty(),
                                            taken,
                                            read.getHeader().getRevision()),
                                    deadline);
                });
    }

    private CompletableFuture<AcquireResult> replace(
            AcquireCommand command, String replaced, KeyValue found, Deadline deadline) {
        LockEntry entry = LockEntry.of(found.getValue()).orElseThrow().passedTo(command.token(), command.lease());
        long first = entry.firstFencingToken(found.getCreateRevision());
        if (!tokens.hasRoomFor(entry.offset()) || first <= command.fencingFloor()) {
            String reason = "The grant of this lock has no fencing token left";
            return CompletableFuture.completedFuture(
                    new AcquireResult.Rejected(reason, new IllegalStateException(reason)));
        }
        return client.grantLease(command.lease(), deadline).thenCompose(lease -> {
            attempts.begin(command.token(), lease.getID(), lease.getTTL());
            TxnRequest request = TxnRequest.newBuilder()
                    .addCompare(Requests.isUnchanged(found))
                    .addSuccess(Requests.put(found.getKey(), entry.stored(), lease.getID()))
                    .build();
            return client.transact(request, deadline)
                    .thenCompose(response -> {
                        client.revokeLease(response.getSucceeded() ? found.getLease() : lease.getID(), deadline);
                        if (!response.getSucceeded()) { // such as a renewal that has replaced the lease
                            attempts.forget(command.token(), lease.getID());
                            return replace(command, replaced, deadline);
                        }
                        attempts.granted(command.token(), System.nanoTime());
                        return CompletableFuture.completedFuture(grant(command, first, 0, 0, deadline));
                    })
                    .exceptionally(thrown -> {
                        EtcdFailure failure = EtcdFailure.of(thrown, target);
                        return new AcquireResult.Unknown(failure.reason(), failure.cause());
                    });
        });
    }

    private CompletableFuture<AcquireResult> begin(AcquireCommand command, ByteString slot, Deadline deadline) {
        return client.grantLease(command.lease(), deadline).thenCompose(lease -> {
            attempts.begin(command.token(), lease.getID(), lease.getTTL());
            return new KeyAttempt(command, slot, lease, deadline).begin();
        });
    }

    /** One slot without a transaction: old servers crash at one that only reads and is late (etcd-io/etcd#14899). */
    private CompletableFuture<ReadSlots> readSlots(AcquireCommand command, Deadline deadline) {
        ByteString first = names.lock(command.key());
        if (command.permits() == 1) {
            return client.range(first, deadline)
                    .thenApply(read -> readSlots(
                            command,
                            read.getKvsList().stream(),
                            read.getHeader().getRevision()));
        }
        TxnRequest request = TxnRequest.newBuilder()
                .addSuccess(Requests.get(first))
                .addSuccess(Requests.getAll(names.furtherSlots(command.key())))
                .build();
        return client.transact(request, deadline)
                .thenApply(read -> readSlots(
                        command,
                        read.getResponsesList().stream().flatMap(part -> part.getResponseRange().getKvsList().stream()),
                        read.getHeader().getRevision()));
    }

    private ReadSlots readSlots(AcquireCommand command, Stream<KeyValue> read, long revision) {
        List<ByteString> slots = names.slots(command.key(), command.permits());
        Set<ByteString> ours = Set.copyOf(slots);
        List<KeyValue> taken =
                read.filter(found -> ours.contains(found.getKey())).toList();
        Set<ByteString> used = taken.stream().map(KeyValue::getKey).collect(Collectors.toSet());
        Optional<ByteString> free = taken.stream().anyMatch(LockEntry.isOf(command.token()))
                ? Optional.empty()
                : slots.stream().filter(slot -> !used.contains(slot)).findFirst();
        return new ReadSlots(free, taken, revision);
    }

    /** Repeats the grant if the token has the lock. */
    private CompletableFuture<AcquireResult> refused(AcquireCommand command, ReadSlots read, Deadline deadline) {
        return read.taken().stream()
                .filter(LockEntry.isOf(command.token()))
                .findFirst()
                .map(found -> repeated(command, found, deadline))
                .orElseGet(() -> contended(command, read, deadline));
    }

    /** The lease must last from the sending of this command; the one in etcd began earlier. */
    private CompletableFuture<AcquireResult> repeated(AcquireCommand command, KeyValue found, Deadline deadline) {
        LockEntry entry = LockEntry.of(found.getValue()).orElseThrow();
        long revision = found.getCreateRevision();
        int slot = names.slots(command.key(), command.permits()).indexOf(found.getKey());
        RenewCommand renewal = new RenewCommand(
                command.key(), command.token(), command.lease(), entry.lastFencingToken(revision), slot);
        return renewer.renewKeys(List.of(renewal), deadline)
                .get(0)
                .toCompletableFuture()
                .thenApply(renewed -> {
                    if (renewed instanceof RenewResult.Renewed) {
                        return grant(command, entry.firstFencingToken(revision), 0, slot, deadline);
                    }
                    String reason = "The token had the lock already, and its lease could not be renewed: " + renewed;
                    return new AcquireResult.Unknown(reason, new IllegalStateException(reason));
                });
    }

    private AcquireResult grant(AcquireCommand command, long first, long othersWaiting, int slot, Deadline deadline) {
        if (command.waiting().isPresent()) {
            waiting.leave(command.key(), deadline);
        }
        return new AcquireResult.Granted(first, othersWaiting, Optional.empty(), "", slot);
    }

    /** Reports the remaining time of the first slot only: the end of any slot signals a waiter. */
    private CompletableFuture<AcquireResult> contended(AcquireCommand command, ReadSlots read, Deadline deadline) {
        if (command.permits() == 1 && command.key().length() <= LONGEST_BUSY) {
            busy.add(command.key()); // before the watch, whose signal removes it
        }
        KeyValue found = read.taken().get(0);
        Optional<LockEntry> entry = LockEntry.of(found.getValue());
        Set<ByteString> slots = Set.copyOf(names.slots(command.key(), command.permits()));
        CompletableFuture<Void> joined = command.waiting().isEmpty()
                ? CompletableFuture.completedFuture(null)
                : waiting.join(new RefusedAttempt(command, slots, read.taken(), read.revision()), deadline);
        CompletableFuture<Optional<Duration>> remaining = remainingLease(client, found, entry, deadline);
        return joined.thenCombine(
                remaining,
                (done, left) -> new AcquireResult.Contended(
                        left,
                        command.waiting().isEmpty() ? Waiting.NEW : ANY_POSITION,
                        entry.flatMap(LockEntry::holder)
                                .filter(holder -> holder.since().isPresent()),
                        entry.map(LockEntry::isKept).orElse(false)));
    }

    /** Without a lease, no request was sent that could have acquired the lock. */
    private AcquireResult notAttempted(Throwable thrown) {
        EtcdFailure failure = EtcdFailure.of(thrown, target);
        return failure.kind() == EtcdFailure.Kind.NO_LEADER
                ? new AcquireResult.Unavailable(failure.reason(), failure.cause())
                : new AcquireResult.Rejected(failure.reason(), failure.cause());
    }

    private final class KeyAttempt {

        private final AcquireCommand command;
        private final LockToken token;
        private final LeaseGrantResponse lease;
        private final Deadline deadline;

        /** The slot to create. Not volatile: each step runs on the thread that received the previous response. */
        private ByteString name;

        KeyAttempt(AcquireCommand command, ByteString slot, LeaseGrantResponse lease, Deadline deadline) {
            this.command = command;
            this.token = command.token();
            this.lease = lease;
            this.deadline = deadline;
            this.name = slot;
        }

        CompletableFuture<AcquireResult> begin() {
            return create(tokens.knownOffset()).exceptionallyCompose(this::failed);
        }

        private CompletableFuture<AcquireResult> failed(Throwable thrown) {
            EtcdFailure failure = EtcdFailure.of(thrown, target);
            return failure.isCertain()
                    ? rejected(failure.reason(), failure.cause())
                    : CompletableFuture.completedFuture(new AcquireResult.Unknown(failure.reason(), failure.cause()));
        }

        /** Repeats if another client has changed the offset. */
        private CompletableFuture<AcquireResult> create(long assumed) {
            if (command.fencingFloor() > FencingTokens.HIGHEST_FLOOR) {
                String reason = "Above " + command.fencingFloor() + " there are too few fencing tokens below 2^53";
                return rejected(reason, new IllegalStateException(reason));
            }
            long needed = FencingTokens.offsetAbove(
                    command.fencingFloor(), lease.getHeader().getRevision(), assumed);
            if (needed > assumed) {
                return tokens.raiseOffset(assumed, needed, deadline).thenCompose(this::create);
            }
            LockEntry entry =
                    new LockEntry(Optional.of(token.value()), assumed, command.fencingTokens(), command.lease());
            TxnRequest request = TxnRequest.newBuilder()
                    .addCompare(Requests.isAbsent(name))
                    .addCompare(tokens.hasOffset(assumed))
                    .addSuccess(Requests.put(name, entry.stored(), lease.getID()))
                    .addSuccess(Requests.count(names.waiters(command.key())))
                    .addFailure(Requests.get(name))
                    .addFailure(Requests.get(tokens.name()))
                    .build();
            return client.transact(request, deadline).thenCompose(response -> {
                long revision = response.getHeader().getRevision();
                if (response.getSucceeded()) {
                    long instances = response.getResponses(1).getResponseRange().getCount();
                    return CompletableFuture.completedFuture(granted(entry, revision, instances));
                }
                Optional<KeyValue> found = Requests.read(response, 0);
                long stored = tokens.readOffset(Requests.read(response, 1));
                if (found.isEmpty()) {
                    return create(stored);
                }
                return command.permits() == 1
                        ? refused(new ReadSlots(Optional.empty(), List.of(found.get()), revision))
                        : chooseAgain();
            });
        }

        private CompletableFuture<AcquireResult> chooseAgain() {
            return readSlots(command, deadline).thenCompose(read -> {
                if (read.free().isEmpty()) {
                    return refused(read);
                }
                name = read.free().get();
                return create(tokens.knownOffset());
            });
        }

        private AcquireResult granted(LockEntry entry, long revision, long instances) {
            attempts.granted(token, System.nanoTime());
            long others = waiting.isWaiting(command.key()) ? instances - 1 : instances;
            int slot = names.slots(command.key(), command.permits()).indexOf(name);
            return grant(command, entry.firstFencingToken(revision), Math.max(0, others), slot, deadline);
        }

        private CompletableFuture<AcquireResult> refused(ReadSlots read) {
            attempts.forget(token, lease.getID());
            client.revokeLease(lease.getID(), deadline);
            return LockAcquirer.this.refused(command, read, deadline);
        }

        private CompletableFuture<AcquireResult> rejected(String reason, Throwable cause) {
            return client.revokeLease(lease.getID(), deadline).handle((ended, failure) -> {
                if (failure != null) {
                    return new AcquireResult.Unknown(reason, cause);
                }
                attempts.forget(token, lease.getID());
                return new AcquireResult.Rejected(reason, cause);
            });
        }
    }

    /** Remaining time of the lock without a renewal; empty if its key has no lease. */
    static CompletableFuture<Optional<Duration>> remainingLease(
            EtcdClient client, KeyValue found, Optional<LockEntry> entry, Deadline deadline) {
        if (found.getLease() == 0) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Duration asked = entry.map(LockEntry::lease).orElse(Duration.ZERO);
        return client.remaining(found.getLease(), deadline).handle((stored, failure) -> {
            Duration left = failure != null ? asked : stored;
            Duration capped = entry.isPresent() && left.compareTo(asked) > 0 ? asked : left;
            return Optional.of(capped.isZero() ? EXPIRY_DELAY : capped);
        });
    }
}

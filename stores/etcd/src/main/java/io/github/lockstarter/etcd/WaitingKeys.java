package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.github.lockstarter.spi.AcquireCommand;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys for which this instance waits. It watches the keys of the slots from the revision of the refusal, so that it
 * misses no release, and is signalled once when one is deleted for any reason. It also stores a key with a lease, which
 * the next owner and operators count; current owners get a message with the same lease.
 *
 * <p>Thread-safe. The engine sends the attempts for a key one after another. An entry of {@code waiting} lasts from the
 * refusal to the grant, the withdrawal or the end of the patience. {@code watch} has ended between a signal and the
 * next refusal; {@code lease} is 0 while no key is stored; {@code stored} is the revision of that key, {@code notified}
 * the one at which the notified owners were read.
 */
final class WaitingKeys {

    /** Delay after a failed watch, since the server may be unreachable. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    /** Etcd's default limit is 128 requests in a transaction. */
    private static final int MOST_MESSAGES = 100;

    /** A refused attempt: the names of the requested slots, the locks found in them, and the revision of that read. */
    record RefusedAttempt(AcquireCommand command, Set<ByteString> slots, List<KeyValue> owners, long revision) {}

    private static final class KeyWaiter {

        private final String key;
        private volatile @Nullable KeyWatch watch;
        private volatile long lease;
        private volatile long until;
        private volatile long stored;
        private volatile long notified;
        private volatile Set<ByteString> slots = Set.of();

        KeyWaiter(String key) {
            this.key = key;
        }

        void close() {
            KeyWatch open = watch;
            if (open != null) {
                open.close();
            }
        }

        /** Whether an owner neither counted this waiter at its grant nor received a message. */
        boolean mustNotify(List<KeyValue> taken) {
            return !isStored()
                    || taken.stream()
                            .mapToLong(KeyValue::getCreateRevision)
                            .anyMatch(at -> at < stored && at > notified);
        }

        boolean isStored() {
            return stored > 0;
        }

        long millisLeft() {
            return TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        }

        boolean isWatching() {
            KeyWatch open = watch;
            return open != null && !open.isEnded();
        }
    }

    private final EtcdClient client;
    private final KeyNames names;
    private final Consumer<String> signals;
    private final ConcurrentMap<String, KeyWaiter> waiting = new ConcurrentHashMap<>();

    /** @param signals receives the keys to retry */
    WaitingKeys(EtcdClient client, KeyNames names, Consumer<String> signals) {
        this.client = client;
        this.names = names;
        this.signals = signals;
    }

    /** Registers the instance or prolongs that; completes normally even if the instance's key could not be stored. */
    CompletableFuture<Void> join(RefusedAttempt refusal, Deadline deadline) {
        Duration patience = refusal.command.waiting().orElseThrow().patience();
        long until = System.nanoTime() + patience.toNanos();
        KeyWaiter waiter = waiting.compute(refusal.command.key(), (key, known) -> {
            KeyWaiter kept = known == null ? new KeyWaiter(key) : known;
            kept.until = until;
            if (kept.slots.size() < refusal.slots.size()) {
                kept.close(); // reopened below with the slots of this caller, which has more permits
                kept.slots = refusal.slots;
                kept.notified = 0;
            }
            return kept;
        });
        if (!waiter.isWatching()) {
            waiter.watch = watch(waiter, refusal.revision + 1);
        }
        if (waiter.lease == 0) {
            leaveWhenOver(waiter, patience);
            return client.grantLease(patience, deadline)
                    .thenCompose(granted -> store(waiter, granted.getID(), refusal, deadline))
                    .handle((stored, failure) -> null);
        }
        CompletableFuture<Void> notified = waiter.mustNotify(refusal.owners)
                ? store(waiter, waiter.lease, refusal, deadline)
                : CompletableFuture.completedFuture(null);
        return client.keepAlive(client.member(), List.of(waiter.lease), deadline)
                .get(0)
                .thenCombine(notified, (ttl, done) -> ttl)
                .handle((ttl, failure) -> {
                    if (failure == null && ttl <= 0) {
                        waiter.lease = 0; // ended before this renewal; the next refusal stores a new one
                    }
                    return null;
                });
    }

    boolean isWaiting(String key) {
        KeyWaiter waiter = waiting.get(key);
        return waiter != null && waiter.isStored();
    }

    private CompletableFuture<Void> store(KeyWaiter waiter, long lease, RefusedAttempt refusal, Deadline deadline) {
        String instanceId = refusal.command.token().instanceId();
        TxnRequest.Builder request = TxnRequest.newBuilder()
                .addSuccess(Requests.put(names.waiter(waiter.key, instanceId), ByteString.EMPTY, lease));
        refusal.owners.stream()
                .flatMap(lock -> LockEntry.of(lock.getValue()).flatMap(LockEntry::instanceId).stream())
                .filter(owner -> !owner.equals(instanceId))
                .distinct()
                .limit(MOST_MESSAGES)
                .forEach(owner ->
                        request.addSuccess(Requests.put(names.mail(owner, lease), Mailbox.wanted(waiter.key), lease)));
        waiter.lease = lease;
        return client.transact(request.build(), deadline).thenAccept(response -> {
            waiter.stored = response.getHeader().getRevision();
            waiter.notified = refusal.revision;
        });
    }

    private KeyWatch watch(KeyWaiter waiter, long fromRevision) {
        WatchCreateRequest.Builder request = WatchCreateRequest.newBuilder()
                .setKey(names.lock(waiter.key))
                .setStartRevision(fromRevision)
                .addFilters(WatchCreateRequest.FilterType.NOPUT);
        if (waiter.slots.size() > 1) {
            request.setRangeEnd(KeyNames.after(names.furtherSlots(waiter.key))); // the range may include other locks
        }
        KeyWatch.Listener listener = new KeyWatch.Listener() {
            @Override
            public void onEvent(KeyWatch watch, Event event) {
                if (waiter.slots.contains(event.getKv().getKey())) {
                    watch.close();
                    signal();
                }
            }

            @Override
            public void onEnd(Throwable failure) {
                client.later(LOOK_AGAIN, this::signal);
            }

            private void signal() {
                if (waiting.get(waiter.key) == waiter) {
                    signals.accept(waiter.key);
                }
            }
        };
        return client.watch(WatchRequest.newBuilder().setCreateRequest(request).build(), listener);
    }

    /** Completes normally when the instance's key is deleted, or could not be. */
    CompletableFuture<Void> leave(String key, Deadline deadline) {
        KeyWaiter waiter = waiting.remove(key);
        if (waiter == null) {
            return CompletableFuture.completedFuture(null);
        }
        waiter.close();
        return waiter.lease == 0
                ? CompletableFuture.completedFuture(null)
                : client.revokeLease(waiter.lease, deadline).handle((ended, failure) -> null);
    }

    private void leaveWhenOver(KeyWaiter waiter, Duration rest) {
        client.later(rest, () -> {
            // Atomic with a refusal that prolongs the patience: that finds this waiter, or adds a new one.
            KeyWaiter left = waiting.computeIfPresent(
                    waiter.key, (key, known) -> known == waiter && waiter.millisLeft() <= 0 ? null : known);
            if (left == waiter) {
                leaveWhenOver(waiter, Duration.ofMillis(Math.max(1, waiter.millisLeft())));
            } else if (left == null) {
                waiter.close();
            }
        });
    }

    void close() {
        waiting.values().forEach(KeyWaiter::close);
        waiting.clear();
    }
}

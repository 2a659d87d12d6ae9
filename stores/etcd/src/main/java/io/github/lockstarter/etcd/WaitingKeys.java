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
 * The keys for which this instance waits. It watches a lock's key, or those of its slots, from the revision on at which
 * it was refused, so that no release is missed in between, and is signalled once when one ends, whatever ended it. It
 * also stores a key of its own, by which the next owner and operators see how many wait, and which has a lease, so that
 * it ends with the instance; the present owners get a message.
 *
 * <p>Thread-safe. The engine sends the attempts of a key one after the other. {@code waiting} has an entry from the
 * refusal to the grant, the withdrawal, or the end of the patience; {@code watch} has ended from the signal to the next
 * refusal; {@code lease} is 0 while there is no key; {@code stored} is the revision of the key, {@code told} that at
 * which the owners were read that had the message; {@code slots} are those that are watched.
 */
final class WaitingKeys {

    /** After a watch has failed: not at once, since the server may be away. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    /** How many owners get a message: etcd has at most 128 requests in a transaction, as it is delivered. */
    private static final int MOST_TOLD = 100;

    /**
     * An attempt that was refused.
     *
     * @param slots the names of those that it was for
     * @param owners what was stored in those slots
     * @param revision of that
     */
    record Refusal(AcquireCommand command, Set<ByteString> slots, List<KeyValue> owners, long revision) {}

    private static final class Waiter {

        private final String key;
        private volatile @Nullable KeyWatch watch;
        private volatile long lease;
        private volatile long until;
        private volatile long stored;
        private volatile long told;
        private volatile Set<ByteString> slots = Set.of();

        Waiter(String key) {
            this.key = key;
        }

        void close() {
            KeyWatch open = watch;
            if (open != null) {
                open.close();
            }
        }

        /** Whether an owner has neither counted the waiter at its grant nor had a message from it. */
        boolean isToBeToldTo(List<KeyValue> taken) {
            return !isStored()
                    || taken.stream().mapToLong(KeyValue::getCreateRevision).anyMatch(at -> at < stored && at > told);
        }

        /** Whether the key of the instance was stored, as far as etcd has answered. */
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
    private final ConcurrentMap<String, Waiter> waiting = new ConcurrentHashMap<>();

    /**
     * Without any.
     *
     * @param signals takes the key that the instance is to try again
     */
    WaitingKeys(EtcdClient client, KeyNames names, Consumer<String> signals) {
        this.client = client;
        this.names = names;
        this.signals = signals;
    }

    /**
     * Registers the instance, or keeps its registration.
     *
     * @param refusal of an attempt that waits
     * @return completes, normally also if the key of the instance could not be stored
     */
    CompletableFuture<Void> join(Refusal refusal, Deadline deadline) {
        Duration patience = refusal.command.waiting().orElseThrow().patience();
        long until = System.nanoTime() + patience.toNanos();
        Waiter waiter = waiting.compute(refusal.command.key(), (key, known) -> {
            Waiter kept = known == null ? new Waiter(key) : known;
            kept.until = until;
            if (kept.slots.size() < refusal.slots.size()) {
                kept.close(); // and watch those of this caller, which may have more of them than those before
                kept.slots = refusal.slots;
                kept.told = 0;
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
        CompletableFuture<Void> told = waiter.isToBeToldTo(refusal.owners)
                ? store(waiter, waiter.lease, refusal, deadline)
                : CompletableFuture.completedFuture(null);
        return client.keepAlive(client.member(), List.of(waiter.lease), deadline)
                .get(0)
                .thenCombine(told, (ttl, done) -> ttl)
                .handle((ttl, failure) -> {
                    if (failure == null && ttl <= 0) {
                        waiter.lease = 0; // ended before the instance asked again; the next refusal stores it anew
                    }
                    return null;
                });
    }

    /** Whether the instance is registered. */
    boolean isWaiting(String key) {
        Waiter waiter = waiting.get(key);
        return waiter != null && waiter.isStored();
    }

    private CompletableFuture<Void> store(Waiter waiter, long lease, Refusal refusal, Deadline deadline) {
        String instanceId = refusal.command.token().instanceId();
        TxnRequest.Builder request = TxnRequest.newBuilder()
                .addSuccess(Requests.put(names.waiter(waiter.key, instanceId), ByteString.EMPTY, lease));
        refusal.owners.stream()
                .flatMap(lock -> LockEntry.of(lock.getValue()).flatMap(LockEntry::instanceId).stream())
                .filter(owner -> !owner.equals(instanceId))
                .distinct()
                .limit(MOST_TOLD)
                .forEach(owner ->
                        request.addSuccess(Requests.put(names.mail(owner, lease), Mailbox.wanted(waiter.key), lease)));
        waiter.lease = lease;
        return client.transact(request.build(), deadline).thenAccept(response -> {
            waiter.stored = response.getHeader().getRevision();
            waiter.told = refusal.revision;
        });
    }

    private KeyWatch watch(Waiter waiter, long fromRevision) {
        WatchCreateRequest.Builder request = WatchCreateRequest.newBuilder()
                .setKey(names.lock(waiter.key))
                .setStartRevision(fromRevision)
                .addFilters(WatchCreateRequest.FilterType.NOPUT);
        if (waiter.slots.size() > 1) {
            request.setRangeEnd(KeyNames.behind(names.furtherSlots(waiter.key))); // other locks may be in between
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

    /** Completes, normally in any case, when the key of the instance is gone, or could not be removed. */
    CompletableFuture<Void> leave(String key, Deadline deadline) {
        Waiter waiter = waiting.remove(key);
        if (waiter == null) {
            return CompletableFuture.completedFuture(null);
        }
        waiter.close();
        return waiter.lease == 0
                ? CompletableFuture.completedFuture(null)
                : client.revokeLease(waiter.lease, deadline).handle((ended, failure) -> null);
    }

    private void leaveWhenOver(Waiter waiter, Duration rest) {
        client.later(rest, () -> {
            // At once with a refusal that prolongs the patience: it finds the waiter, or makes a new one.
            Waiter left = waiting.computeIfPresent(
                    waiter.key, (key, known) -> known == waiter && waiter.millisLeft() <= 0 ? null : known);
            if (left == waiter) {
                leaveWhenOver(waiter, Duration.ofMillis(Math.max(1, waiter.millisLeft())));
            } else if (left == null) {
                waiter.close();
            }
        });
    }

    void close() {
        waiting.values().forEach(Waiter::close);
        waiting.clear();
    }
}

package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.github.lockstarter.spi.SignalListener;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Brings messages to instances: that another instance waits for a lock, or that an operator has taken one away. A
 * message is a key that the instance watches, and that ends by a lease. An instance whose watch is interrupted goes on
 * behind the last message that it has read.
 *
 * <p>Thread-safe. {@code boxes} has one entry for each instance that listens; the fields of a box are written by its
 * watch, one at a time.
 */
final class Mailboxes implements AutoCloseable {

    private static final Duration KEPT = Duration.ofSeconds(10);
    private static final Duration REOPEN_AFTER = Duration.ofMillis(500);

    private final EtcdClient client;
    private final KeyNames names;
    private final Executor callbacks;
    private final ConcurrentMap<String, Box> boxes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    Mailboxes(EtcdClient client, KeyNames names, Executor callbacks) {
        this.client = client;
        this.names = names;
        this.callbacks = callbacks;
    }

    void open(String instanceId, SignalListener listener) {
        Box box = new Box(instanceId, listener);
        boxes.put(instanceId, box);
        box.watch();
    }

    /** Whether all instances that listen hear messages at the moment. */
    boolean isHeard() {
        return boxes.values().stream().allMatch(box -> box.heard);
    }

    /** Completes normally also if the message could not be sent: the holder finds out when it renews. */
    CompletableFuture<Void> sendRevoked(String key, LockEntry entry, Deadline deadline) {
        Optional<String> instanceId = entry.instanceId();
        if (instanceId.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        ByteString message = Mail.revoked(entry.token().orElseThrow(), key);
        return client.grantLease(KEPT, deadline)
                .thenCompose(lease -> client.transact(
                        TxnRequest.newBuilder()
                                .addSuccess(Requests.put(
                                        names.mail(instanceId.get(), lease.getID()), message, lease.getID()))
                                .build(),
                        deadline))
                .handle((sent, failure) -> null);
    }

    @Override
    public void close() {
        closed = true;
        boxes.values().forEach(Box::close);
    }

    private final class Box implements KeyWatch.Listener {

        private final String instanceId;
        private final SignalListener listener;
        private volatile Optional<KeyWatch> watch = Optional.empty();
        private volatile boolean heard;
        private volatile boolean interrupted;
        private volatile long next;

        Box(String instanceId, SignalListener listener) {
            this.instanceId = instanceId;
            this.listener = listener;
        }

        void watch() {
            ByteString mails = names.mailbox(instanceId);
            WatchRequest request = WatchRequest.newBuilder()
                    .setCreateRequest(WatchCreateRequest.newBuilder()
                            .setKey(mails)
                            .setRangeEnd(KeyNames.behind(mails))
                            .setStartRevision(next)
                            .addFilters(WatchCreateRequest.FilterType.NODELETE))
                    .build();
            watch = Optional.of(client.watch(request, this));
            if (closed) {
                close();
            }
        }

        @Override
        public void onCreated() {
            heard = true;
            if (interrupted) {
                interrupted = false;
                listener.onMailboxRestored();
            }
        }

        @Override
        public void onEvent(KeyWatch opened, Event event) {
            next = event.getKv().getModRevision() + 1;
            Mail.deliver(event.getKv().getValue(), listener);
        }

        /** Without a revision to go on from, messages of the last seconds may be missed: they are a hint. */
        @Override
        public void onEnd(Throwable failure) {
            heard = false;
            interrupted = true;
            if (!EtcdFailure.isUnreached(failure)) {
                next = 0;
            }
            CompletableFuture.delayedExecutor(REOPEN_AFTER.toMillis(), TimeUnit.MILLISECONDS, callbacks)
                    .execute(() -> {
                        if (!closed) {
                            // Unlike a watch, a read renews a void token and leaves a member that does not answer.
                            client.read(names.mailbox(instanceId), client.deadline())
                                    .whenComplete((read, unread) -> watch());
                        }
                    });
        }

        void close() {
            watch.ifPresent(KeyWatch::close);
        }
    }
}

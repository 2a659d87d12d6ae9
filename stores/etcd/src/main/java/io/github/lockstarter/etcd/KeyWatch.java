package io.github.lockstarter.etcd;

import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One watch on a stream of its own, until closed or failed. Thread-safe; calls the listener from one thread at a time,
 * and {@code onEnd} at most once.
 */
final class KeyWatch implements ClientResponseObserver<WatchRequest, WatchResponse>, AutoCloseable {

    /** Must not block. */
    interface Listener {

        default void onCreated() {}

        void onEvent(KeyWatch watch, Event event);

        /** The watch failed; no event follows. Not called after {@link #close}. */
        void onEnd(Throwable failure);
    }

    private final Listener listener;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable ClientCallStreamObserver<WatchRequest> stream;

    KeyWatch(Listener listener) {
        this.listener = listener;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchRequest> requests) {
        stream = requests;
    }

    @Override
    public void onNext(WatchResponse response) {
        if (ended.get()) {
            return;
        }
        if (response.getCanceled()) {
            end(Status.ABORTED
                    .withDescription("etcd cancelled the watch: " + response.getCancelReason())
                    .asRuntimeException());
            cancel();
        } else if (response.getCreated()) {
            listener.onCreated();
        } else {
            response.getEventsList().forEach(event -> listener.onEvent(this, event));
        }
    }

    @Override
    public void onError(Throwable failure) {
        end(failure);
    }

    @Override
    public void onCompleted() {
        end(Status.UNAVAILABLE.withDescription("etcd ended the watch").asRuntimeException());
    }

    void end(Throwable failure) {
        if (ended.compareAndSet(false, true)) {
            listener.onEnd(failure);
        }
    }

    boolean isEnded() {
        return ended.get();
    }

    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            cancel();
        }
    }

    private void cancel() {
        ClientCallStreamObserver<WatchRequest> open = stream;
        if (open != null) {
            open.cancel("no longer of interest", null);
        }
    }
}

package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * Receives this instance's messages: that another instance waits for a lock, or that an operator has revoked one. A
 * message is a key with a lease; its value is in UTF-16, which can encode every lock key. After an interruption, the
 * watch resumes after the last message received.
 *
 * <p>Thread-safe. {@code closed} is set once; the watch writes the other fields, one call at a time.
 */
final class Mailbox implements KeyWatch.Listener, AutoCloseable {

    private static final String WANTED = "wanted";
    private static final Duration REOPEN_AFTER = Duration.ofMillis(500);

    private final EtcdClient client;
    private final ByteString messages;
    private final SignalListener listener;
    private volatile Optional<KeyWatch> watch = Optional.empty();
    private volatile boolean open;
    private volatile boolean interrupted;
    private volatile boolean closed;
    private volatile long next;

    /** Opens no watch. Messages are the keys with this prefix. */
    Mailbox(EtcdClient client, ByteString messages, SignalListener listener) {
        this.client = client;
        this.messages = messages;
        this.listener = listener;
    }

    static ByteString wanted(String key) {
        return message(WANTED, key);
    }

    static ByteString revoked(String token, String key) {
        return message(LockToken.fingerprintOf(token), key);
    }

    private static ByteString message(String subject, String key) {
        String text = subject + ' ' + key;
        ByteBuffer units = ByteBuffer.allocate(text.length() * Character.BYTES);
        units.asCharBuffer().put(text);
        return ByteString.copyFrom(units);
    }

    SignalListener listener() {
        return listener;
    }

    boolean isOpen() {
        return open;
    }

    void watch() {
        WatchRequest request = WatchRequest.newBuilder()
                .setCreateRequest(WatchCreateRequest.newBuilder()
                        .setKey(messages)
                        .setRangeEnd(KeyNames.after(messages))
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
        open = true;
        if (interrupted) {
            interrupted = false;
            listener.onMailboxRestored();
        }
    }

    @Override
    public void onEvent(KeyWatch opened, Event event) {
        next = event.getKv().getModRevision() + 1;
        String text =
                event.getKv().getValue().asReadOnlyByteBuffer().asCharBuffer().toString();
        int space = text.indexOf(' ');
        String subject = text.substring(0, Math.max(0, space));
        String key = text.substring(space + 1);
        if (subject.equals(WANTED)) {
            listener.onWanted(key);
        } else {
            listener.onRevoked(key, subject);
        }
    }

    /** Without a revision to resume from, recent messages may be missed; they are hints. */
    @Override
    public void onEnd(Throwable failure) {
        open = false;
        interrupted = true;
        if (!EtcdFailure.isUnreachable(failure)) {
            next = 0;
        }
        client.later(REOPEN_AFTER, () -> {
            if (!closed) {
                // Unlike a watch, a read replaces a rejected token and leaves an unresponsive member.
                client.read(messages, client.deadline()).whenComplete((read, unread) -> watch());
            }
        });
    }

    @Override
    public void close() {
        closed = true;
        watch.ifPresent(KeyWatch::close);
    }
}

package io.github.lockstarter.local;

import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Delivers signals to the instances that listen, in the order they were sent. On a thread of its own, since a listener
 * may at once send the next command, whose release sends the next signal. Thread-safe.
 */
final class LocalMailboxes implements AutoCloseable {

    private final Map<String, SignalListener> listeners = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor postman = LockThreads.pool("lock-local-signals", 1, Duration.ofSeconds(1));

    LocalMailboxes() {
        postman.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    void open(String instanceId, SignalListener listener) {
        listeners.put(instanceId, listener);
    }

    boolean isOpen(String instanceId) {
        return listeners.containsKey(instanceId) && !postman.isShutdown();
    }

    void send(MailboxMessage mail, String key) {
        SignalListener listener = listeners.get(mail.instanceId());
        if (listener != null) {
            postman.execute(() -> mail.deliver(listener, key));
        }
    }

    /** Notifies the instance that its lock was taken away. */
    void sendRevoked(LockToken owner, String key) {
        SignalListener listener = listeners.get(owner.instanceId());
        if (listener != null) {
            postman.execute(() -> listener.onRevoked(key, owner.fingerprint()));
        }
    }

    @Override
    public void close() {
        postman.shutdown();
    }
}

package io.github.lockstarter.engine.backend;

import io.github.lockstarter.spi.LockToken;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The most recent messages that report a revoked lock. One of them may overtake the answer that carries the grant,
 * since it comes on another connection: the thread that receives it records it here before it looks for the hold; the
 * thread that is granted a lock adds the hold before it looks here, so that one of them sees the other's.
 *
 * <p>Kept are few: what is forgotten in between is found out by the next renewal. Thread-safe; the list is replaced,
 * never changed.
 */
public final class RecentRevocations {

    private static final int MOST = 16;

    private record Message(String key, String fingerprint) {}

    private final ReentrantLock lock = new ReentrantLock();

    /** Written under the lock. */
    private volatile List<Message> latest = List.of();

    public void add(String key, String fingerprint) {
        lock.lock();
        try {
            List<Message> known = new ArrayList<>(latest.subList(latest.size() < MOST ? 0 : 1, latest.size()));
            known.add(new Message(key, fingerprint));
            latest = List.copyOf(known);
        } finally {
            lock.unlock();
        }
    }

    /** Whether one of them is of this grant. */
    public boolean contains(String key, LockToken token) {
        List<Message> known = latest;
        for (int i = 0; i < known.size(); i++) {
            Message message = known.get(i);
            if (message.key.equals(key) && message.fingerprint.equals(token.fingerprint())) {
                return true;
            }
        }
        return false;
    }
}

package io.github.lockstarter.redis;

import io.github.lockstarter.spi.SignalListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Records the calls of a listener. */
public final class RecordedSignals implements SignalListener {

    private final List<String> keys = new CopyOnWriteArrayList<>();
    private final List<String> slots = new CopyOnWriteArrayList<>();
    private final List<String> wanted = new CopyOnWriteArrayList<>();
    private final List<String> revoked = new CopyOnWriteArrayList<>();
    private final AtomicInteger restored = new AtomicInteger();

    @Override
    public void onSignal(String key, int slot) {
        keys.add(key);
        slots.add(key + "@" + slot);
    }

    @Override
    public void onWanted(String key) {
        wanted.add(key);
    }

    @Override
    public void onRevoked(String key, String fingerprint) {
        revoked.add(key + "@" + fingerprint);
    }

    @Override
    public void onMailboxRestored() {
        restored.incrementAndGet();
    }

    public List<String> keys() {
        return keys;
    }

    /** As key@slot. */
    public List<String> slots() {
        return slots;
    }

    public List<String> wanted() {
        return wanted;
    }

    /** As key@fingerprint. */
    public List<String> revoked() {
        return revoked;
    }

    public int restored() {
        return restored.get();
    }
}

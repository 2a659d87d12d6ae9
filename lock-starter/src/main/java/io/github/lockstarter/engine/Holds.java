package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.spi.LockToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this instance holds: all holds by token, and those of threads by thread and key, for nested entries. A lost hold
 * leaves the first map at once. It stays in the second until its last release, its first nested entry, which learns of
 * the loss, or for a while if its owner never comes back.
 */
final class Holds implements HeldLocks {

    private record Entrance(long threadId, String key) {}

    private final ConcurrentHashMap<LockToken, Hold> all = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Entrance, Hold> byThread = new ConcurrentHashMap<>();

    /** Granted. */
    void add(Hold hold) {
        all.put(hold.token, hold);
    }

    /** Taken by its owner, who may enter again. Called by the owning thread. */
    void open(Hold hold) {
        if (hold.owner.isThread()) {
            byThread.put(entrance(hold), hold);
        }
    }

    /** No longer held; a nested entry still finds it. */
    void lost(Hold hold) {
        all.remove(hold.token);
    }

    void remove(Hold hold) {
        all.remove(hold.token);
        if (hold.owner.isThread()) {
            byThread.remove(entrance(hold), hold);
        }
    }

    Optional<Hold> of(Owner owner, String key) {
        return Optional.ofNullable(byThread.get(new Entrance(owner.threadId(), key)));
    }

    Collection<Hold> all() {
        return all.values();
    }

    private static Entrance entrance(Hold hold) {
        return new Entrance(hold.owner.threadId(), hold.key);
    }

    @Override
    public int size() {
        return all.size();
    }

    @Override
    public List<HeldLock> snapshot() {
        List<HeldLock> held = new ArrayList<>(all.size());
        for (Hold hold : all.values()) {
            held.add(hold.snapshot());
        }
        return List.copyOf(held);
    }
}

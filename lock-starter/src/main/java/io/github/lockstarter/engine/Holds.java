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
 * What this instance holds: all holds by token; the last granted one of each key, for those who wait here; and those of
 * threads by thread and key, for nested entries. A lost hold leaves the first two maps at once. It stays in the third
 * until its last release, its first nested entry, which learns of the loss, or for a while if its owner never comes back.
 *
 * <p>A hold leaves {@link #here} before its release is sent, and only then are the waiters of its key told to look: one
 * that has looked before sees them, one that looks later does not see the hold.
 */
final class Holds implements HeldLocks {

    private record Entrance(long threadId, String key) {}

    private final ConcurrentHashMap<LockToken, Hold> all = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Hold> here = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Entrance, Hold> byThread = new ConcurrentHashMap<>();

    /** Granted, or handed over by the hold of the same token, whose place it takes. */
    void add(Hold hold) {
        all.put(hold.tenure.token, hold);
        here.put(hold.key, hold);
    }

    /** Taken by its owner, who may enter again. Called by the owning thread. */
    void open(Hold hold) {
        if (hold.owner.isThread()) {
            byThread.put(entrance(hold), hold);
        }
    }

    /** No longer held; a nested entry still finds it. */
    void lost(Hold hold) {
        all.remove(hold.tenure.token, hold);
        here.remove(hold.key, hold);
    }

    void remove(Hold hold) {
        lost(hold);
        leave(hold);
    }

    /** Its owner cannot enter it again. */
    void leave(Hold hold) {
        if (hold.owner.isThread()) {
            byThread.remove(entrance(hold), hold);
        }
    }

    /** The last granted hold of the key. */
    Optional<Hold> here(String key) {
        return Optional.ofNullable(here.get(key));
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

package io.github.lockstarter.engine.hold;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.spi.LockToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What this instance holds: the last granted hold of each key, and apart from them what is rare. A hold that is still
 * alive when its key is granted anew, since the key was deleted at the backend, is displaced. A hold of a thread
 * that is lost or displaced is kept for that thread: until its last release, its first nested entry, which learns of
 * the loss, or for a while if the owner never comes back.
 *
 * <p>A hold leaves {@link #here} before its release is sent, and only then are the waiters of its key woken: one
 * that has looked before sees them, one that looks later does not see the hold. A thread that puts a hold aside looks
 * at its state afterwards; a thread that ends it changes the state first, so that one of them takes it out again.
 */
public final class Holds implements HeldLocks {

    /** Threads are compared by identity: see {@link HoldOwner}. */
    private record Entrance(@Nullable Thread thread, String key) {

        static Entrance of(Hold hold) {
            return new Entrance(hold.owner.thread(), hold.key);
        }

        @Override
        @SuppressWarnings("ReferenceEquality")
        public boolean equals(@Nullable Object other) {
            return other instanceof Entrance entrance && entrance.thread == thread && entrance.key.equals(key);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(thread) * 31 + key.hashCode();
        }
    }

    private final ConcurrentHashMap<String, Hold> here = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<LockToken, Hold> displaced = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Entrance, Hold> keptForThreads = new ConcurrentHashMap<>();
    private volatile @Nullable CompletableFuture<Void> empty;

    /** Granted, or handed over by the hold of the same grant, whose place it takes. */
    public void add(Hold hold) {
        Hold before = here.put(hold.key, hold);
        if (before != null && before.grant != hold.grant) {
            displace(before);
        }
    }

    private void displace(Hold hold) {
        displaced.put(hold.grant.token, hold);
        keepForThread(hold);
        if (!hold.lifecycle.isHeld()) {
            displaced.remove(hold.grant.token, hold);
        }
    }

    /**
     * Its owner has it from now on. It may have been displaced before: the thread that displaces it looks at the mark
     * afterwards.
     */
    public void announced(Hold hold) {
        if (here.get(hold.key) != hold) {
            keepForThread(hold);
        }
    }

    private void keepForThread(Hold hold) {
        if (hold.owner.isThread() && hold.announced) {
            keptForThreads.put(Entrance.of(hold), hold);
            if (hold.lifecycle.holds() == 0) {
                leave(hold);
            }
        }
    }

    /** No longer held; a nested entry still finds it. */
    public void lost(Hold hold) {
        takeOut(hold);
        keepForThread(hold);
    }

    public void remove(Hold hold) {
        takeOut(hold);
        leave(hold);
    }

    private void takeOut(Hold hold) {
        here.remove(hold.key, hold);
        if (!displaced.isEmpty()) {
            displaced.remove(hold.grant.token, hold);
        }
        completeIfEmpty();
    }

    /** Completed as soon as nothing is held. */
    public CompletableFuture<Void> whenEmpty() {
        CompletableFuture<Void> awaited = new CompletableFuture<>();
        empty = awaited; // before the look at the holds; who takes the last one out looks at this afterwards
        completeIfEmpty();
        return awaited;
    }

    private void completeIfEmpty() {
        CompletableFuture<Void> awaited = empty;
        if (awaited != null && size() == 0) {
            awaited.complete(null);
        }
    }

    /** Its owner does not come back to it. */
    public void leave(Hold hold) {
        if (hold.owner.isThread() && !keptForThreads.isEmpty()) {
            keptForThreads.remove(Entrance.of(hold), hold);
        }
    }

    /** The last granted hold of the key. */
    public Optional<Hold> here(String key) {
        return Optional.ofNullable(here.get(key));
    }

    /** A hold of the key, also a displaced one. */
    public Optional<Hold> find(String key, Predicate<Hold> wanted) {
        Optional<Hold> found = here(key).filter(wanted);
        return found.isPresent() || displaced.isEmpty()
                ? found
                : displaced.values().stream()
                        .filter(hold -> hold.key.equals(key) && wanted.test(hold))
                        .findFirst();
    }

    /** The thread's own hold of the key: one that it has taken, and has not left. */
    public Optional<Hold> of(HoldOwner thread, String key) {
        Hold latest = here.get(key);
        if (latest != null && latest.owner.thread() == thread.thread() && isEntered(latest)) {
            return Optional.of(latest);
        }
        return keptForThreads.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(keptForThreads.get(new Entrance(thread.thread(), key)))
                        .filter(Holds::isEntered);
    }

    private static boolean isEntered(Hold hold) {
        return hold.announced && hold.lifecycle.holds() > 0;
    }

    public void forEach(Consumer<Hold> action) {
        here.values().forEach(action);
        displaced.values().forEach(action);
    }

    @Override
    public int size() {
        return here.size() + displaced.size();
    }

    @Override
    public Optional<HeldLock> find(String key) {
        return find(key, hold -> true).map(Hold::snapshot);
    }

    @Override
    public List<HeldLock> snapshot() {
        List<HeldLock> held = new ArrayList<>(size());
        forEach(hold -> held.add(hold.snapshot()));
        return List.copyOf(held);
    }
}

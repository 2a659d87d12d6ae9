package io.github.lockstarter;

import java.util.List;
import java.util.Optional;

/** Live, read-only view of the locks that this instance holds. Thread-safe. */
public interface HeldLocks {

    /** {@return the number of held locks, not counting nested holds} */
    int size();

    /** {@return an immutable copy of the locks held at this moment, in no particular order} */
    List<HeldLock> snapshot();

    /**
     * {@return this instance's hold of a key, if any}
     *
     * @param key key
     */
    default Optional<HeldLock> find(String key) {
        return snapshot().stream().filter(lock -> lock.key().equals(key)).findFirst();
    }

    /**
     * {@return whether the current thread owns a hold of a key, held or lost, which its next acquisition would enter}
     *
     * @param key key
     */
    boolean isOwnedByThisThread(String key);
}

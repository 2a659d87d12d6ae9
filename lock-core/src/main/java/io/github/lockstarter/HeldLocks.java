package io.github.lockstarter;

import java.util.List;
import java.util.Optional;

/** Read-only view of the locks that this instance of the application holds right now. Live and thread-safe. */
public interface HeldLocks {

    /**
     * How many locks are held; a nested hold counts with its outer one.
     *
     * @return zero or more
     */
    int size();

    /**
     * The held locks at this moment, in no particular order.
     *
     * @return an immutable copy
     */
    List<HeldLock> snapshot();

    /**
     * The hold of one key.
     *
     * @param key the lock's key
     * @return the hold, if this instance has it
     */
    default Optional<HeldLock> find(String key) {
        return snapshot().stream().filter(lock -> lock.key().equals(key)).findFirst();
    }
}

package io.github.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/** One entry into a {@link Hold}: what the engine knows of a {@link Handle}. */
class Entry {

    final Hold hold;

    /** Of the hold; each entry keeps it reachable. */
    final Entry first;

    /** Set under the monitor of the {@link KeyLock}, just before the entry is counted down. */
    volatile boolean hasLeft;

    /** {@code first} is null for the first reachable entry. */
    Entry(Hold hold, @Nullable Entry first) {
        this.hold = hold;
        this.first = first == null ? this : first;
    }
}

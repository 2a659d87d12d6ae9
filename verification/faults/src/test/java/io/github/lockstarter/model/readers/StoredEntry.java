package io.github.lockstarter.model.readers;

/**
 * The gate, or a slot of a reader, at a server.
 *
 * @param owner {@link #NOBODY}, {@link #MARK} (of the gate: readers have it), {@link #FORMER} (the token of a hold that
 *     has ended), or {@link #of} an instance
 * @param left ticks until it expires
 */
record StoredEntry(int owner, int left) {

    static final int NOBODY = 0;
    static final int MARK = 1;
    static final int FORMER = 2;
    private static final int INSTANCES = 3;

    static final StoredEntry FREE = new StoredEntry(NOBODY, 0);

    static StoredEntry of(int instance, int lease) {
        return new StoredEntry(INSTANCES + instance, lease);
    }

    static StoredEntry mark(int lease) {
        return new StoredEntry(MARK, lease);
    }

    boolean isFree() {
        return owner == NOBODY;
    }

    boolean isMark() {
        return owner == MARK;
    }

    boolean isFormer() {
        return owner == FORMER;
    }

    boolean isOf(int instance) {
        return owner == INSTANCES + instance;
    }

    /** Negative if it has no present owner. */
    int instance() {
        return owner - INSTANCES;
    }

    StoredEntry atLeast(int lease) {
        return lease > left ? new StoredEntry(owner, lease) : this;
    }

    StoredEntry tick() {
        return left <= 1 ? FREE : new StoredEntry(owner, left - 1);
    }

    StoredEntry withoutHoldOf(int instance) {
        return isOf(instance) ? new StoredEntry(FORMER, left) : this;
    }
}

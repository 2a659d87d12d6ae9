package io.github.lockstarter.spi;

import io.github.lockstarter.LockRequest;

/**
 * Consecutive slots of a lock, each with at most one owner. A lock with several permits consists of as many slots, from
 * 0. Readers have the {@link #OF_READERS slots behind them}, and exclude from slot 0.
 *
 * @param from first slot
 * @param count number of slots, at least 1
 */
public record Slots(int from, int count) {

    /** The slot of a lock with one permit. */
    public static final Slots ONLY = new Slots(0, 1);

    /**
     * The slots of readers; as many instances, or grants of an instance, read at the same time. Owners of slot 0 and of
     * any of these exclude each other.
     */
    public static final Slots OF_READERS = new Slots(LockRequest.MAX_PERMITS, 32);

    /**
     * {@return one slot}
     *
     * @param slot index
     */
    public static Slots one(int slot) {
        return slot == 0 ? ONLY : new Slots(slot, 1);
    }

    /**
     * {@return all slots of a lock}
     *
     * @param permits number
     */
    public static Slots first(int permits) {
        return permits == 1 ? ONLY : new Slots(0, permits);
    }

    /** {@return the slot behind the last one} */
    public int end() {
        return from + count;
    }

    /**
     * {@return whether it is one of them}
     *
     * @param slot index
     */
    public boolean contains(int slot) {
        return slot >= from && slot < end();
    }
}

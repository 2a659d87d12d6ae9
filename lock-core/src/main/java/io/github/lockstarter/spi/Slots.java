package io.github.lockstarter.spi;

/**
 * Consecutive slots of a lock. A lock with several permits consists of as many slots, from 0, each with at most one
 * owner.
 *
 * @param from first slot
 * @param count number of slots, at least 1
 */
public record Slots(int from, int count) {

    /** The slot of a lock with one permit. */
    public static final Slots ONLY = new Slots(0, 1);

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
}

package io.github.lockstarter.spi;

/**
 * Which slots of a lock a command is about. A lock with several permits is as many locks, each of which has at most one
 * owner: the slots from 0 on. A lock with one permit is slot 0.
 *
 * @param from the first
 * @param count how many in a row, at least 1
 */
public record Slots(int from, int count) {

    /** A lock with one permit. */
    public static final Slots ONLY = new Slots(0, 1);

    /**
     * One slot.
     *
     * @param slot which one
     * @return that one
     */
    public static Slots one(int slot) {
        return slot == 0 ? ONLY : new Slots(slot, 1);
    }

    /**
     * The slots of so many permits.
     *
     * @param permits how many
     * @return the slots from 0 on
     */
    public static Slots first(int permits) {
        return permits == 1 ? ONLY : new Slots(0, permits);
    }
}

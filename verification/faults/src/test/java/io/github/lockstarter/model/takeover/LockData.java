package io.github.lockstarter.model.takeover;

/**
 * A lock as one server has it.
 *
 * @param owner whose token is stored
 * @param left ticks until it expires; 0 for a taker, who may free it at any time
 */
record LockData(Owner owner, int left) {

    static final LockData FREE = new LockData(Owner.NOBODY, 0);
    static final LockData TAKEN = new LockData(Owner.TAKER, 0);

    enum Owner {
        NOBODY,
        HOLDER,

        /** The token of a hold that the holder has released or lost. */
        FORMER,
        TAKER
    }

    static LockData ofHolder(int left) {
        return new LockData(Owner.HOLDER, left);
    }

    boolean isOf(Owner one) {
        return owner == one;
    }

    /** Its token belongs to the instance that may be marked. */
    boolean isOfInstance() {
        return owner == Owner.HOLDER || owner == Owner.FORMER;
    }

    /** The holder does not have this token any more. */
    LockData abandoned() {
        return owner == Owner.HOLDER ? new LockData(Owner.FORMER, left) : this;
    }

    LockData tick() {
        return !isOfInstance() ? this : left == 1 ? FREE : new LockData(owner, left - 1);
    }
}

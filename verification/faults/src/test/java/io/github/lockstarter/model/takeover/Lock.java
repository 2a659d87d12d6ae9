package io.github.lockstarter.model.takeover;

/**
 * A lock as one server has it.
 *
 * @param owner whose token is stored
 * @param left ticks until it expires; 0 for a taker, who may free it at any time
 */
record Lock(Owner owner, int left) {

    static final Lock FREE = new Lock(Owner.NOBODY, 0);
    static final Lock TAKEN = new Lock(Owner.TAKER, 0);

    enum Owner {
        NOBODY,
        HOLDER,

        /** The token of a hold that the holder has released or lost. */
        FORMER,
        TAKER
    }

    static Lock ofHolder(int left) {
        return new Lock(Owner.HOLDER, left);
    }

    boolean isOf(Owner one) {
        return owner == one;
    }

    /** Its token belongs to the instance that may be marked. */
    boolean isOfInstance() {
        return owner == Owner.HOLDER || owner == Owner.FORMER;
    }

    /** The holder does not have this token any more. */
    Lock abandoned() {
        return owner == Owner.HOLDER ? new Lock(Owner.FORMER, left) : this;
    }

    Lock tick() {
        return !isOfInstance() ? this : left == 1 ? FREE : new Lock(owner, left - 1);
    }
}

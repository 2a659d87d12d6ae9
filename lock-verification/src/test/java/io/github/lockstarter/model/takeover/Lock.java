package io.github.lockstarter.model.takeover;

/**
 * The lock as one server has it.
 *
 * @param owner whose token is stored
 * @param left ticks until it expires
 * @param mark ticks since it was marked, T at most; {@link #NO_MARK} if it is not
 */
record Lock(Owner owner, int left, int mark) {

    static final int NO_MARK = -1;
    static final Lock FREE = new Lock(Owner.NOBODY, 0, NO_MARK);

    enum Owner {
        NOBODY,
        HOLDER,

        /** The token of a hold that the holder has released or lost. */
        FORMER,
        TAKER
    }

    boolean isOf(Owner one) {
        return owner == one;
    }

    boolean takesPart() {
        return owner == Owner.HOLDER || owner == Owner.FORMER;
    }

    Lock granted(Owner next, Rules rules) {
        return new Lock(next, rules.lease(), rules.keeps(Rule.MARK_NAMES_TOKEN) ? NO_MARK : mark);
    }

    Lock unmarked(Rules rules) {
        return new Lock(owner, left, rules.keeps(Rule.RENEWAL_DELETES_MARK) ? NO_MARK : mark);
    }

    Lock lasting(int ticks) {
        return new Lock(owner, ticks, mark);
    }

    boolean isMarked() {
        return mark != NO_MARK;
    }

    Lock marked() {
        return new Lock(owner, left, 0);
    }

    Lock freed(Rules rules) {
        return rules.keeps(Rule.MARK_NAMES_TOKEN) ? FREE : new Lock(Owner.NOBODY, 0, mark);
    }

    /** The holder does not have this token any more. */
    Lock abandoned() {
        return owner == Owner.HOLDER ? new Lock(Owner.FORMER, left, mark) : this;
    }

    Lock tick(Rules rules) {
        Lock older = new Lock(owner, left, mark == NO_MARK ? NO_MARK : Math.min(mark + 1, rules.takeOver()));
        return left <= 1 ? older.freed(rules) : new Lock(owner, left - 1, older.mark());
    }
}

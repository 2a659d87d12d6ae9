package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * The mark of the instance on one server. Its sum is the time since it was written, which is the maximum.
 *
 * @param begin identity; 0 if there is none
 * @param age ticks since it was written
 * @param acknowledged whether a taker received the acknowledgement of this mark's trace
 */
record Mark(int begin, int age, boolean acknowledged) {

    static final Mark NONE = new Mark(0, 0, false);

    boolean exists() {
        return begin != 0;
    }

    Mark acknowledged(int acknowledgedBegin) {
        return begin == acknowledgedBegin ? new Mark(begin, age, true) : this;
    }

    Mark renumbered(IntUnaryOperator begins) {
        return new Mark(begins.applyAsInt(begin), age, acknowledged);
    }

    Mark tick(TakeoverRules rules) {
        if (!exists() || (age == rules.markLife() && !rules.keeps(Rule.MARK_EXPIRES))) {
            return this;
        }
        return age == rules.markLife() ? NONE : new Mark(begin, age + 1, acknowledged);
    }
}

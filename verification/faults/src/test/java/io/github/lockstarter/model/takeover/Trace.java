package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * The trace of takeovers at one server.
 *
 * @param begin of the mark by which locks were, or may be, taken over; 0 if there is none
 * @param left ticks until it expires
 */
record Trace(int begin, int left) {

    static final Trace NONE = new Trace(0, 0);

    boolean exists() {
        return begin != 0;
    }

    Trace renumbered(IntUnaryOperator begins) {
        return new Trace(begins.applyAsInt(begin), left);
    }

    Trace tick() {
        return left <= 1 ? NONE : new Trace(begin, left - 1);
    }
}

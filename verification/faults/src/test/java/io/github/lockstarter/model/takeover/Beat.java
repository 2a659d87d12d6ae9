package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * A beat under way.
 *
 * @param age ticks since it was sent, T at most
 * @param history which server has executed it last; {@link Servers#NEVER} if none yet
 * @param trace which trace that server had; 0 if none
 */
record Beat(int age, int history, int trace) {

    static final Beat SENT = new Beat(0, Servers.NEVER, 0);

    boolean isExecuted() {
        return history != Servers.NEVER;
    }

    /** A process that has restarted never ran when a beat was sent that the process before has answered. */
    boolean isOfRestarted(Rules rules) {
        return rules.haveRestart() && history == Servers.SECOND;
    }

    Beat executed(int server, Trace found) {
        return new Beat(age, server, found.begin());
    }

    Beat renumbered(IntUnaryOperator begins) {
        return new Beat(age, history, begins.applyAsInt(trace));
    }

    Beat tick(Rules rules) {
        return new Beat(Math.min(age + 1, rules.takeover()), history, trace);
    }
}

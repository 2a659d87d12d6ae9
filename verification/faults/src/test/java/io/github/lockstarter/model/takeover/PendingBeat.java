package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * A beat under way.
 *
 * @param age ticks since it was sent, T at most
 * @param history which server has executed it last; {@link ServerPair#NEVER} if none yet
 * @param trace which trace that server had; 0 if none
 */
record PendingBeat(int age, int history, int trace) {

    static final PendingBeat SENT = new PendingBeat(0, ServerPair.NEVER, 0);

    boolean isExecuted() {
        return history != ServerPair.NEVER;
    }

    /** A process that has restarted never ran when a beat was sent that the process before has answered. */
    boolean isOfRestarted(TakeoverRules rules) {
        return rules.haveRestart() && history == ServerPair.SECOND;
    }

    PendingBeat executed(int server, Trace found) {
        return new PendingBeat(age, server, found.begin());
    }

    PendingBeat renumbered(IntUnaryOperator begins) {
        return new PendingBeat(age, history, begins.applyAsInt(trace));
    }

    PendingBeat tick(TakeoverRules rules) {
        return new PendingBeat(Math.min(age + 1, rules.takeover()), history, trace);
    }
}

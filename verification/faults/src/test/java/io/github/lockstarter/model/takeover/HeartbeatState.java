package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;

/**
 * Knowledge of the holder from its beats.
 *
 * @param age ticks since the latest answered beat was sent, at most T
 * @param history server that answered it
 * @param trace trace in the answer; 0 if none
 * @param period the current one
 * @param traced the period in which the last trace was received
 * @param voidBefore locks confirmed in an earlier period are in doubt for the rest of the hold
 */
record HeartbeatState(int age, int history, int trace, int period, int traced, int voidBefore) {

    static final int NO_PERIOD = 0;

    static final HeartbeatState BEGUN = new HeartbeatState(0, ServerPair.FIRST, 0, 1, NO_PERIOD, NO_PERIOD);

    boolean isCertain(TakeoverRules rules) {
        return age < rules.takeover();
    }

    HeartbeatState answered(PendingBeat beat, TakeoverRules rules) {
        boolean otherHistory = beat.history() != history;
        boolean otherTrace = beat.trace() != trace;
        boolean changes = (otherHistory && rules.keeps(Rule.HISTORY_CHANGES_PERIOD))
                || (otherTrace && rules.keeps(Rule.TRACE_CHANGES_PERIOD));
        int next = changes ? period + 1 : period;
        int learnt = otherTrace && beat.trace() != 0 ? next : traced;
        int counts = rules.keeps(Rule.BEAT_COUNTS_FROM_SENDING) ? beat.age() : 0;
        int voids = otherHistory ? Math.max(voidBefore, voidBefore(beat, next, learnt, rules)) : voidBefore;
        return new HeartbeatState(counts, beat.history(), beat.trace(), next, learnt, voids);
    }

    /** Another history has answered. */
    private int voidBefore(PendingBeat beat, int next, int learnt, TakeoverRules rules) {
        boolean mayHaveForgotten = rules.areAcknowledged()
                ? beat.isOfRestarted(rules) && rules.keeps(Rule.VOID_RESTARTED)
                : rules.keeps(Rule.VOID_UNACKED);
        if (mayHaveForgotten && !isCertain(rules)) {
            return next;
        }
        return rules.keeps(Rule.VOID_TRACED) ? learnt : 0;
    }

    HeartbeatState renumbered(IntUnaryOperator begins) {
        return new HeartbeatState(age, history, begins.applyAsInt(trace), period, traced, voidBefore);
    }

    HeartbeatState withPeriods(IntUnaryOperator low) {
        return new HeartbeatState(
                age, history, trace, low.applyAsInt(period), low.applyAsInt(traced), low.applyAsInt(voidBefore));
    }

    HeartbeatState tick(TakeoverRules rules) {
        return new HeartbeatState(Math.min(age + 1, rules.takeover()), history, trace, period, traced, voidBefore);
    }
}

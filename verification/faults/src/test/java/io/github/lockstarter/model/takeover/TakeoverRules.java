package io.github.lockstarter.model.takeover;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Behaviour of servers, holder and takers, and the faults. Times are in ticks.
 *
 * @param takeover T
 * @param lease of each acquire and renewal
 * @param window w: how long a deposed master continues to execute writes
 * @param locks of the instance
 * @param left disabled rules
 */
record TakeoverRules(int takeover, int lease, int window, int locks, Set<Rule> left, Set<TakeoverFault> faults) {

    static TakeoverRules of(int takeover, int lease, int window, TakeoverFault... faults) {
        EnumSet<TakeoverFault> all = EnumSet.noneOf(TakeoverFault.class);
        all.addAll(Arrays.asList(faults));
        return new TakeoverRules(takeover, lease, window, 1, EnumSet.noneOf(Rule.class), all);
    }

    TakeoverRules withTwoLocks() {
        return new TakeoverRules(takeover, lease, window, 2, left, faults);
    }

    TakeoverRules without(Rule rule) {
        return new TakeoverRules(takeover, lease, window, locks, EnumSet.of(rule), faults);
    }

    boolean keeps(Rule rule) {
        return !left.contains(rule);
    }

    boolean has(TakeoverFault fault) {
        return faults.contains(fault);
    }

    /** Whether the tokens of the instance have a plus sign: their takeovers must be acknowledged. */
    boolean areAcknowledged() {
        return has(TakeoverFault.FAILOVER) || has(TakeoverFault.MASTER_RESTART);
    }

    boolean haveRestart() {
        return has(TakeoverFault.RESTART) || has(TakeoverFault.MASTER_RESTART);
    }

    /** How old a mark must be for a takeover. */
    int markAge() {
        return keeps(Rule.TAKER_WAITS_T) ? takeover : takeover - 1;
    }

    /** How old a history must be for grants of free locks, marks and takeovers. */
    int grace() {
        return lease + window;
    }

    /** M: how old a mark gets. There are two ticks in which it may lead to a takeover. */
    int markLife() {
        return takeover + 1;
    }

    /** How long a trace lives: a lease from the last takeover by its mark on. */
    int traceLife() {
        int longest = lease + markLife() - takeover;
        return keeps(Rule.TRACE_OUTLIVES_LEASES) ? longest : longest - 1;
    }

    @Override
    public String toString() {
        String bounds = "T=" + takeover + " lease=" + lease + " w=" + window + " locks=" + locks;
        return bounds + " " + faults + (left.isEmpty() ? "" : " without " + List.copyOf(left));
    }
}

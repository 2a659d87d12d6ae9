package io.github.lockstarter.model.takeover;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What scripts, holder and taker do, and what can happen to them. Times are in ticks.
 *
 * @param takeOver T
 * @param lease of each acquire and renewal
 * @param window w: how long a deposed master goes on executing writes
 * @param lag for how long the replica does not have what its master has, at most
 * @param rules that are kept
 * @param faults that happen
 */
record Rules(int takeOver, int lease, int window, int lag, Set<Rule> rules, Set<Fault> faults) {

    static final int ANY_LAG = Integer.MAX_VALUE;

    static Rules of(int takeOver, int lease, int window, Fault... faults) {
        EnumSet<Fault> all = EnumSet.noneOf(Fault.class);
        all.addAll(List.of(faults));
        return new Rules(takeOver, lease, window, ANY_LAG, Rule.all(), all);
    }

    Rules without(Rule... left) {
        EnumSet<Rule> kept = EnumSet.copyOf(rules);
        List.of(left).forEach(kept::remove);
        return new Rules(takeOver, lease, window, lag, kept, faults);
    }

    Rules with(Rule... more) {
        EnumSet<Rule> kept = EnumSet.copyOf(rules);
        kept.addAll(List.of(more));
        return new Rules(takeOver, lease, window, lag, kept, faults);
    }

    Rules withLag(int most) {
        return new Rules(takeOver, lease, window, most, rules, faults);
    }

    boolean keeps(Rule rule) {
        return rules.contains(rule);
    }

    boolean has(Fault fault) {
        return faults.contains(fault);
    }

    /** How old a mark must be for a take-over. */
    int markAge() {
        return keeps(Rule.TAKER_WAITS_T) ? takeOver : takeOver - 1;
    }

    /** How old a promoted server must be before it grants free locks, marks, and has locks taken over. */
    int grace() {
        return lease + window;
    }

    /** What differs from the whole protocol, for the output. */
    @Override
    public String toString() {
        EnumSet<Rule> left = EnumSet.copyOf(Rule.all());
        left.removeAll(rules);
        EnumSet<Rule> more = EnumSet.copyOf(rules);
        more.removeAll(Rule.all());
        return "T=" + takeOver + " lease=" + lease + " w=" + window
                + (lag == ANY_LAG ? "" : " lag=" + lag) + " faults=" + faults
                + (left.isEmpty() ? "" : " without=" + left)
                + (more.isEmpty() ? "" : " with=" + more);
    }
}

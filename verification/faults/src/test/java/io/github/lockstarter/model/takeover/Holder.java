package io.github.lockstarter.model.takeover;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The holder.
 *
 * @param heartbeat knowledge from its beats
 * @param beats under way, in the order of sending
 * @param holds one per lock
 */
record Holder(HeartbeatState heartbeat, List<PendingBeat> beats, List<TakeoverHold> holds) {

    TakeoverHold hold(int lock) {
        return holds.get(lock);
    }

    Holder with(int lock, TakeoverHold hold) {
        List<TakeoverHold> changed = new ArrayList<>(holds);
        changed.set(lock, hold);
        return new Holder(heartbeat, beats, List.copyOf(changed));
    }

    Holder with(HeartbeatState other) {
        return new Holder(other, beats, holds);
    }

    Holder with(List<PendingBeat> other) {
        return new Holder(heartbeat, other, holds);
    }

    boolean isCertain(int lock, TakeoverRules rules) {
        return hold(lock).isCertain(heartbeat, rules);
    }

    /** Marks and traces get other numbers. */
    Holder renumbered(IntUnaryOperator begins) {
        List<PendingBeat> renumbered =
                beats.stream().map(beat -> beat.renumbered(begins)).toList();
        return new Holder(heartbeat.renumbered(begins), renumbered, holds);
    }

    /** Renumbers the relevant periods with the lowest numbers in the same order. */
    Holder withLowPeriods(TakeoverRules rules) {
        int used = (1 << heartbeat.period()) | (rules.has(TakeoverFault.NEW_HOLDS) ? 1 << HeartbeatState.NO_PERIOD : 0);
        for (TakeoverHold hold : holds) {
            used |= hold.periods();
        }
        int all = used;
        IntUnaryOperator low = period -> Integer.bitCount(all & ((1 << period) - 1));
        HeartbeatState lowest = heartbeat.withPeriods(low);
        return lowest.equals(heartbeat)
                ? this
                : new Holder(
                        lowest,
                        beats,
                        holds.stream().map(hold -> hold.withPeriods(low)).toList());
    }

    Holder tick(TakeoverRules rules) {
        return new Holder(
                heartbeat.tick(rules),
                beats.stream().map(beat -> beat.tick(rules)).toList(),
                holds.stream().map(hold -> hold.tick(rules)).toList());
    }
}

package io.github.lockstarter.model.takeover;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Data of one server about the instance. */
record TakeoverServer(List<LockData> locks, Mark mark, Trace trace) {

    static TakeoverServer empty(int locks) {
        return new TakeoverServer(Collections.nCopies(locks, LockData.FREE), Mark.NONE, Trace.NONE);
    }

    LockData lock(int index) {
        return locks.get(index);
    }

    boolean hasLockOfInstance() {
        return locks.stream().anyMatch(LockData::isOfInstance);
    }

    TakeoverServer with(int index, LockData lock) {
        List<LockData> changed = new ArrayList<>(locks);
        changed.set(index, lock);
        return new TakeoverServer(List.copyOf(changed), mark, trace);
    }

    TakeoverServer with(Mark other) {
        return new TakeoverServer(locks, other, trace);
    }

    TakeoverServer with(Trace other) {
        return new TakeoverServer(locks, mark, other);
    }

    TakeoverServer renumbered(IntUnaryOperator numbers) {
        return new TakeoverServer(locks, mark.renumbered(numbers), trace.renumbered(numbers));
    }

    TakeoverServer tick(TakeoverRules rules) {
        return new TakeoverServer(locks.stream().map(LockData::tick).toList(), mark.tick(rules), trace.tick());
    }
}

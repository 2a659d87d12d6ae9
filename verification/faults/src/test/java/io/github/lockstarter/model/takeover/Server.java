package io.github.lockstarter.model.takeover;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Data of one server about the instance. */
record Server(List<Lock> locks, Mark mark, Trace trace) {

    static Server empty(int locks) {
        return new Server(Collections.nCopies(locks, Lock.FREE), Mark.NONE, Trace.NONE);
    }

    Lock lock(int index) {
        return locks.get(index);
    }

    boolean hasLockOfInstance() {
        return locks.stream().anyMatch(Lock::isOfInstance);
    }

    Server with(int index, Lock lock) {
        List<Lock> changed = new ArrayList<>(locks);
        changed.set(index, lock);
        return new Server(List.copyOf(changed), mark, trace);
    }

    Server with(Mark other) {
        return new Server(locks, other, trace);
    }

    Server with(Trace other) {
        return new Server(locks, mark, other);
    }

    Server renumbered(IntUnaryOperator numbers) {
        return new Server(locks, mark.renumbered(numbers), trace.renumbered(numbers));
    }

    Server tick(Rules rules) {
        return new Server(locks.stream().map(Lock::tick).toList(), mark.tick(rules), trace.tick());
    }
}

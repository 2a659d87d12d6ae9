package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * I7: a release or withdrawal wakes at most one instance. At no time has a key had more signals than releases,
 * withdrawals and attempts to read (which wake the next reader) or at a quorum (which gives insufficient votes back);
 * these are logged before they are sent, so none is missing after a kill. If locks end with a session, grants and
 * failed attempts count too, because a lock may end without a release and a failed attempt may have been first in line.
 * Skipped for stores that wake all instances or none.
 *
 * <p>Releases without waiters leave a surplus, so this detects a flood, not a single extra signal; {@code
 * HandOverIT} counts exactly. A client repeats a command after losing the connection, and each copy of a
 * withdrawal may wake an instance. The simulation counts the copies; the fault lab does not see them.
 */
public final class WakeUpCheck implements Check {

    private static final Set<EventKind> KINDS =
            Set.of(EventKind.SIGNALLED, EventKind.FREEING, EventKind.WITHDRAWING, EventKind.ATTEMPTING);

    @Override
    public List<Violation> violations(History history) {
        if (!history.wakesInOrder()) {
            return List.of();
        }
        Map<String, Long> balance = new HashMap<>();
        List<Violation> found = new ArrayList<>();
        Stream.concat(KINDS.stream(), history.sessionNanos() > 0 ? Stream.of(EventKind.GRANTED) : Stream.empty())
                .flatMap(kind -> history.of(kind).stream())
                .sorted((a, b) -> Long.compare(a.at(), b.at()))
                .forEach(event -> {
                    long step = event.kind() == EventKind.SIGNALLED ? -1 : 1;
                    long left = balance.merge(LabEvent.lockOf(event.key()), step, Long::sum);
                    if (left < 0) {
                        balance.put(LabEvent.lockOf(event.key()), 0L);
                        found.add(violation(event));
                    }
                });
        return found;
    }

    private static Violation violation(LabEvent event) {
        return Violation.of(
                "I7", event.key(), event.at(), event.worker() + " was signalled more often than the lock was released");
    }
}

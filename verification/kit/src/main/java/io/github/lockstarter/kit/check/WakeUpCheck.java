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
 * I7: one release, or one withdrawal, wakes one instance at most. At every moment there were no more signals for a key
 * than releases and withdrawals, and attempts at a quorum, since votes that do not suffice are given back; these are
 * written down before they are sent, so none is missing for a killed worker. Releases that find nobody to wake leave
 * room, so this finds a flood, not a single one too many; {@code HandOverBoundsIT} counts exactly. Where locks end with
 * a session, a lock that ends without a release wakes one instance as well, and so may a failed attempt, which may have
 * come first and left again: there grants and failed attempts count too. A store that declares that it wakes all
 * waiting instances, or none, does not promise this.
 *
 * <p>A client sends a command again if the connection breaks before the answer. A release frees the lock, and wakes an
 * instance, once; a withdrawal does not change a lock that is free or kept, so each copy may wake an instance. The
 * simulation counts the copies that a server executes. The fault lab cannot see them.
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

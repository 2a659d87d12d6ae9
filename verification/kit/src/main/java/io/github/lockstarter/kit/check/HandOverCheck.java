package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * I10: while another instance is known to wait, a lock is handed over at most 16 times and for at most 50 ms. Known is
 * what came with the grant, or by a notice while the lock was held; the row ends with the next release that is sent.
 */
public final class HandOverCheck implements Check {

    /** The bound, one that was decided when the notice came, and one that a late timer adds. */
    private static final int MOST = 16 + 2;

    private static final Duration LONGEST = Duration.ofMillis(50);

    /** A notice that overtakes the answer to the attempt is taken up with the second tick of the timer after it. */
    private static final Duration TAKEN_UP = Duration.ofMillis(10);

    @Override
    public List<Violation> violations(History history) {
        Map<String, Map<String, Row>> rows = new HashMap<>();
        List<Violation> found = new ArrayList<>();
        Stream.of(EventKind.GRANTED, EventKind.WANTED, EventKind.FREEING, EventKind.ACQUIRED)
                .flatMap(kind -> history.of(kind).stream())
                .sorted((a, b) -> Long.compare(a.at(), b.at()))
                .forEach(event -> rowsOf(event, rows)
                        .forEach(row -> row.take(history, event).ifPresent(found::add)));
        return found;
    }

    /** A notice is about all slots of a lock. */
    private static List<Row> rowsOf(LabEvent event, Map<String, Map<String, Row>> rows) {
        Map<String, Row> ofLock =
                rows.computeIfAbsent(event.worker() + '/' + LabEvent.lockOf(event.key()), id -> new HashMap<>());
        return event.kind() == EventKind.WANTED
                ? List.copyOf(ofLock.values())
                : List.of(ofLock.computeIfAbsent(event.key(), slot -> new Row()));
    }

    /** The hand-overs of one instance since another one was known to wait; 0 for the time if none is. */
    private static final class Row {

        private boolean held;
        private boolean told;
        private long knownAt;
        private int length;

        Optional<Violation> take(History history, LabEvent event) {
            switch (event.kind()) {
                case GRANTED -> begin(event.until() > 0 ? event.at() : 0);
                case WANTED -> knownAt = held && knownAt == 0 ? event.at() : knownAt;
                case FREEING -> held = false;
                default -> {
                    if (held && event.note().equals("HANDED_OVER") && knownAt != 0) {
                        return handedOver(history, event);
                    }
                }
            }
            return Optional.empty();
        }

        private void begin(long known) {
            held = true;
            told = false;
            knownAt = known;
            length = 0;
        }

        private Optional<Violation> handedOver(History history, LabEvent event) {
            long late = event.at() - knownAt - TAKEN_UP.toNanos();
            if (late <= 0) {
                return Optional.empty();
            }
            length++;
            boolean tooLong =
                    late - LONGEST.toNanos() > Allowance.forThread(history, event.worker(), knownAt, event.at());
            if (told || !(tooLong || length > MOST)) {
                return Optional.empty();
            }
            told = true;
            return Optional.of(Violation.of(
                    "I10",
                    event.key(),
                    event.at(),
                    event.worker() + " handed over " + length + " times and for " + (event.at() - knownAt) / 1_000_000
                            + " ms while it knew of another instance that waited"));
        }
    }
}

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
 * I10: while an instance knows that another one waits, from the grant or from a later notice, it hands the lock over
 * to other callers at most 16 times and for at most 50 ms, and lets readers join for as long. The next release ends
 * the series.
 */
public final class HandOverCheck implements Check {

    /** The bound, one handover decided before the notice arrived, and one due to a late timer. */
    private static final int MOST = 16 + 2;

    private static final Duration LONGEST = Duration.ofMillis(50);

    /** A notice that overtakes the answer to the attempt is handled at the second tick of the timer after it. */
    private static final Duration NOTICE_DELAY = Duration.ofMillis(10);

    @Override
    public List<Violation> violations(History history) {
        Map<String, Map<String, Series>> series = new HashMap<>();
        List<Violation> found = new ArrayList<>();
        Stream.of(EventKind.GRANTED, EventKind.WANTED, EventKind.FREEING, EventKind.ACQUIRED)
                .flatMap(kind -> history.of(kind).stream())
                .sorted((a, b) -> Long.compare(a.at(), b.at()))
                .forEach(event -> seriesOf(event, series)
                        .forEach(each -> each.take(history, event).ifPresent(found::add)));
        return found;
    }

    /** A notice is about all slots of a lock. */
    private static List<Series> seriesOf(LabEvent event, Map<String, Map<String, Series>> series) {
        Map<String, Series> ofLock =
                series.computeIfAbsent(event.worker() + '/' + LabEvent.lockOf(event.key()), id -> new HashMap<>());
        return event.kind() == EventKind.WANTED
                ? List.copyOf(ofLock.values())
                : List.of(ofLock.computeIfAbsent(event.key(), slot -> new Series()));
    }

    /** Handovers of one instance since it learned of a waiting one; {@code knownAt} is 0 if it knows none. */
    private static final class Series {

        private boolean held;
        private boolean reported;
        private long knownAt;
        private int length;

        Optional<Violation> take(History history, LabEvent event) {
            switch (event.kind()) {
                case GRANTED -> begin(event.until() > 0 ? event.at() : 0);
                case WANTED -> knownAt = held && knownAt == 0 ? event.at() : knownAt;
                case FREEING -> held = false;
                default -> {
                    boolean passed = event.note().equals("HANDED_OVER");
                    if (held && knownAt != 0 && (passed || LabEvent.isRead(event.key()))) {
                        return handedOver(history, event, !passed);
                    }
                }
            }
            return Optional.empty();
        }

        private void begin(long known) {
            held = true;
            reported = false;
            knownAt = known;
            length = 0;
        }

        private Optional<Violation> handedOver(History history, LabEvent event, boolean joined) {
            long decidedAt = joined ? event.from() : event.at(); // a reader that has joined may get to run late
            long late = decidedAt - knownAt - NOTICE_DELAY.toNanos();
            if (late <= 0) {
                return Optional.empty();
            }
            length += joined ? 0 : 1;
            boolean tooLong =
                    late - LONGEST.toNanos() > Allowance.forThread(history, event.worker(), knownAt, decidedAt);
            if (reported || !(tooLong || length > MOST)) {
                return Optional.empty();
            }
            reported = true;
            String description = event.worker() + " handed over " + length + " times and for "
                    + (decidedAt - knownAt) / 1_000_000 + " ms while it knew of another instance that waited";
            return Optional.of(Violation.of("I10", event.key(), event.at(), description));
        }
    }
}

package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * I3: no increment that the resource accepted from a fenced writer is lost. Each writer reads a number and writes it
 * plus one; the resource counts the accepted writes. An unfenced number is the control and is only counted.
 */
public final class FencedWritesCheck implements Check {

    /** {@code note} of the number that is protected by fencing tokens. */
    public static final String FENCED = "fenced";

    /** {@code note} of the number that accepts every write. */
    public static final String UNFENCED = "unfenced";

    @Override
    public List<Violation> violations(History history) {
        List<Violation> found = new ArrayList<>();
        Map<String, Long> written = history.holds().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> written(entry.getValue())));
        for (LabEvent number : history.of(EventKind.RESOURCE)) {
            if (number.note().equals(FENCED)) {
                if (number.from() != number.amount()) {
                    found.add(violation(
                            number,
                            (number.amount() - number.from()) + " fenced increments are lost: " + number.amount()
                                    + " writes were taken, and the number is " + number.from()));
                }
                long confirmed = written.getOrDefault(number.key(), 0L);
                if (confirmed > number.amount()) {
                    found.add(violation(
                            number,
                            confirmed + " fenced writes were confirmed, and only " + number.amount() + " were taken"));
                }
            }
        }
        return found;
    }

    /** Returns the number of lost increments without fencing. */
    public static long lostUnfenced(History history) {
        return history.of(EventKind.RESOURCE).stream()
                .filter(number -> number.note().equals(UNFENCED))
                .mapToLong(number -> number.amount() - number.from())
                .sum();
    }

    private static long written(List<LoggedHold> holds) {
        return holds.stream()
                .filter(hold -> hold.end().written().equals("written"))
                .count();
    }

    private static Violation violation(LabEvent number, String description) {
        return Violation.of("I3", number.key(), number.at(), description);
    }
}

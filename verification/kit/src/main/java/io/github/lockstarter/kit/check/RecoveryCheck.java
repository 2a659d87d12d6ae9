package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * I5, third part: within the command timeout and 10 s after a fault, the store of each instance works again. Reports an
 * attempt that failed later, without a grant in between. For instances that try all the time.
 */
public final class RecoveryCheck implements Check {

    /** {@code REFUSED.note} if the store gave no answer. */
    private static final String ERROR = "ERROR";

    /** {@code REFUSED.note} if the store answered that it may have lost locks. */
    private static final String RECOVERING = "RECOVERING";

    private static final Duration PROMISED = Allowance.COMMAND.plusSeconds(10);

    @Override
    public List<Violation> violations(History history) {
        List<Violation> found = new ArrayList<>();
        Map<String, Long> failing = new HashMap<>();
        Stream.of(EventKind.ACQUIRED, EventKind.REFUSED)
                .flatMap(kind -> history.of(kind).stream())
                .filter(event -> history.isStarter(event.worker()))
                .sorted(Comparator.comparingLong(LabEvent::at))
                .forEach(event -> {
                    if (event.kind() == EventKind.ACQUIRED || event.note().equals(RECOVERING)) {
                        failing.remove(event.worker());
                    } else if (event.note().equals(ERROR)) {
                        long since = failing.computeIfAbsent(event.worker(), first -> event.at());
                        if (event.at() - since - excused(history, event, since) > PROMISED.toNanos()) {
                            found.add(violation(event, since));
                            failing.put(event.worker(), event.at());
                        }
                    }
                });
        return found;
    }

    private static long excused(History history, LabEvent event, long since) {
        return Span.covered(history.faults(), since, event.at())
                + Span.covered(history.stalls(event.worker()), since, event.at());
    }

    private static Violation violation(LabEvent event, long since) {
        return Violation.of(
                "I5",
                event.key(),
                event.at(),
                event.worker() + " has been granted no lock for " + (event.at() - since) / 1_000_000
                        + " ms, since its store first gave no answer");
    }
}

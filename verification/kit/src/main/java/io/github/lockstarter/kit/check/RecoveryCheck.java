package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * I11: the store of a running instance works again within a command timeout and 10 s, not counting the time of faults.
 * Reports, once for each silence, an attempt without an answer that is later than that. For instances that try all the
 * time.
 */
public final class RecoveryCheck implements Check {

    /** {@code REFUSED.note} if the store gave no answer. */
    private static final String ERROR = "ERROR";

    /** {@code REFUSED.note} if the store answered that it may have lost locks. */
    private static final String RECOVERING = "RECOVERING";

    private static final Duration PROMISED = Allowance.COMMAND.plusSeconds(10);

    @Override
    public List<Violation> violations(History history) {
        Map<String, Long> answered = new HashMap<>();
        Map<String, Violation> found = new LinkedHashMap<>();
        Stream.of(EventKind.STARTED, EventKind.ACQUIRED, EventKind.REFUSED)
                .flatMap(kind -> history.of(kind).stream())
                .filter(event -> history.isStarter(event.worker()))
                .sorted(Comparator.comparingLong(LabEvent::at))
                .forEach(event -> {
                    if (event.kind() != EventKind.REFUSED || event.note().equals(RECOVERING)) {
                        answered.put(event.worker(), event.at());
                    } else if (event.note().equals(ERROR)) {
                        long last = answered.computeIfAbsent(event.worker(), first -> event.at());
                        if (isLate(history, last, event)) {
                            found.putIfAbsent(event.worker() + last, violation(event, last));
                        }
                    }
                });
        return List.copyOf(found.values());
    }

    private static boolean isLate(History history, long answered, LabEvent failed) {
        long until = failed.at();
        return until - answered
                > PROMISED.toNanos()
                        + Span.covered(history.faults(), answered, until)
                        + history.electionDelay(answered, until)
                        + Allowance.forThread(history, failed.worker(), answered, until);
    }

    private static Violation violation(LabEvent failed, long answered) {
        return Violation.of(
                "I11",
                failed.key(),
                failed.at(),
                failed.worker() + " has been granted nothing for " + (failed.at() - answered) / 1_000_000
                        + " ms, and its store gives no answer");
    }
}

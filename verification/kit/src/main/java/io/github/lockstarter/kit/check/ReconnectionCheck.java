package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * I5, third part: a worker whose attempts fail is granted a lock again within command timeout + 10 s, without the time
 * of faults, whatever has become of its connections. Reports the first failure that is later, once for each silence.
 */
public final class ReconnectionCheck implements Check {

    private static final Duration LONGEST = Duration.ofSeconds(10).plus(Allowance.COMMAND);

    @Override
    public List<Violation> violations(History history) {
        Map<String, TreeSet<Long>> answers = Stream.concat(
                        history.of(EventKind.STARTED).stream(), history.of(EventKind.ACQUIRED).stream())
                .collect(Collectors.groupingBy(
                        LabEvent::worker, Collectors.mapping(LabEvent::at, Collectors.toCollection(TreeSet::new))));
        return history.of(EventKind.REFUSED).stream()
                .filter(event -> event.note().equals("ERROR") && history.isStarter(event.worker()))
                .filter(event ->
                        isLate(history, event, answers.get(event.worker()).floor(event.at())))
                .collect(Collectors.toMap(
                        event -> event.worker() + answers.get(event.worker()).floor(event.at()),
                        ReconnectionCheck::violation,
                        (first, later) -> first))
                .values()
                .stream()
                .toList();
    }

    private static boolean isLate(History history, LabEvent failure, long answered) {
        return failure.at() - answered
                > LONGEST.toNanos()
                        + Span.covered(history.faults(), answered, failure.at())
                        + Allowance.forThread(history, failure.worker(), answered, failure.at())
                        + Vacancy.grace(history, answered, failure.at());
    }

    private static Violation violation(LabEvent failure) {
        return Violation.of(
                "I5", failure.key(), failure.at(), failure.worker() + " has not connected again after the last fault");
    }
}

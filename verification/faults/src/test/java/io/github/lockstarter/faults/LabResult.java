package io.github.lockstarter.faults;

import io.github.lockstarter.faults.worker.WorkerOptions.Setup;
import io.github.lockstarter.kit.check.CheckSuite;
import io.github.lockstarter.kit.check.FencedWritesCheck;
import io.github.lockstarter.kit.check.History;
import io.github.lockstarter.kit.check.LoggedHold;
import io.github.lockstarter.kit.check.RecoveryCheck;
import io.github.lockstarter.kit.check.Span;
import io.github.lockstarter.kit.check.TakeoverCheck;
import io.github.lockstarter.kit.check.Violation;
import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The result of a session.
 *
 * @param topology name of the servers
 * @param setup lock client of the workers
 * @param took duration
 * @param acquisitions number of holds, without nested ones
 * @param endings number of holds by kind of end, and of requests without a hold by reason
 * @param takeovers ms from the death of a holder to the takeover of its lock
 * @param lostUnfenced lost increments of the number without fencing
 * @param violations by time
 * @param shown holds around the first violations, for pictures
 */
record LabResult(
        String topology,
        Setup setup,
        long seed,
        Duration took,
        long acquisitions,
        Map<String, Long> endings,
        List<Long> takeovers,
        long lostUnfenced,
        List<Span> faults,
        List<Violation> violations,
        Map<Violation, List<LoggedHold>> shown) {

    private static final int PICTURES = 5;
    private static final long AROUND_NANOS = Duration.ofSeconds(3).toNanos();

    /** Checks the events. */
    static LabResult of(String topology, LabPlan plan, Duration took, List<LabEvent> events) {
        History history = new History(events);
        List<Violation> violations = Stream.concat(
                        CheckSuite.violations(history).stream(), new RecoveryCheck().violations(history).stream())
                .sorted(Comparator.comparingLong(Violation::at))
                .toList();
        return new LabResult(
                topology,
                plan.setup(),
                plan.seed(),
                took,
                history.holdCount(),
                endings(history),
                TakeoverCheck.millisAfterDeath(history),
                FencedWritesCheck.lostUnfenced(history),
                history.faults(),
                violations,
                violations.stream()
                        .limit(PICTURES)
                        .collect(Collectors.toMap(
                                violation -> violation, violation -> around(history, violation), (a, b) -> a)));
    }

    /** How often an invariant was violated. */
    long count(String invariant) {
        return violations.stream()
                .filter(violation -> violation.invariant().equals(invariant))
                .count();
    }

    private static List<LoggedHold> around(History history, Violation violation) {
        return history.holds().getOrDefault(violation.key(), List.of()).stream()
                .filter(hold -> hold.grantedAt() < violation.at() + AROUND_NANOS
                        && hold.validUntil() > violation.at() - AROUND_NANOS)
                .toList();
    }

    private static Map<String, Long> endings(History history) {
        Map<String, Long> endings = new TreeMap<>(history.holds().values().stream()
                .flatMap(List::stream)
                .collect(Collectors.groupingBy(
                        hold -> "hold " + hold.end().kind() + " " + hold.end().cause(), Collectors.counting())));
        endings.put("doubt begun", (long) history.of(EventKind.IN_DOUBT).size());
        endings.put(
                "doubt ended: confirmed", (long) history.of(EventKind.CONFIRMED).size());
        history.of(EventKind.REFUSED).forEach(event -> endings.merge("refused " + event.note(), 1L, Long::sum));
        history.holds().values().stream()
                .flatMap(List::stream)
                .forEach(hold -> endings.merge("path " + hold.path(), 1L, Long::sum));
        return endings;
    }
}

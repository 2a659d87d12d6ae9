package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The time between the death of a holder and the next grant of its lock.
 *
 * @param dead the hold that ended with its JVM
 * @param death when the JVM was certainly gone
 * @param next when somebody else was granted the lock; {@link Long#MAX_VALUE} if nobody was
 * @param refusals of those who were told after the death, and before the next grant, that the lock is contended
 */
record Vacancy(Hold dead, long death, long next, List<LabEvent> refusals) {

    /** How much longer than the longest lease nothing is granted after a fault that makes a server forget. */
    private static final Duration BEYOND_THE_LEASE = Duration.ofMillis(600);

    /** All of a session. */
    static List<Vacancy> of(History history) {
        List<Hold> dead = history.holds().values().stream()
                .flatMap(List::stream)
                .filter(hold -> hold.end().kind() == Hold.Kind.KILLED
                        && hold.deadline() > hold.end().at())
                .toList();
        List<String> keys = dead.stream().map(Hold::key).distinct().toList();
        Map<String, List<LabEvent>> grants = byKey(
                Stream.concat(history.of(EventKind.GRANTED).stream(), history.of(EventKind.ACQUIRED).stream()), keys);
        Map<String, List<LabEvent>> refusals = byKey(
                history.of(EventKind.REFUSED).stream()
                        .filter(event -> event.note().equals("CONTENDED")),
                keys);
        return dead.stream()
                .filter(hold -> isLast(hold, history, grants.getOrDefault(hold.key(), List.of())))
                .map(hold -> of(
                        hold,
                        history.goneAt(hold.worker()),
                        grants.getOrDefault(hold.key(), List.of()),
                        refusals.getOrDefault(hold.key(), List.of())))
                .toList();
    }

    /** Whether nobody else had been granted the lock by then. */
    private static boolean isLast(Hold dead, History history, List<LabEvent> grants) {
        long death = history.goneAt(dead.worker());
        return grants.stream()
                .noneMatch(event ->
                        !event.worker().equals(dead.worker()) && event.at() > dead.grantedAt() && event.at() <= death);
    }

    private static Vacancy of(Hold dead, long death, List<LabEvent> grants, List<LabEvent> refusals) {
        long next = grants.stream()
                .mapToLong(LabEvent::at)
                .filter(at -> at > death)
                .min()
                .orElse(Long.MAX_VALUE);
        return new Vacancy(
                dead,
                death,
                next,
                refusals.stream()
                        .filter(event -> event.at() > death && event.at() < next)
                        .toList());
    }

    private static Map<String, List<LabEvent>> byKey(Stream<LabEvent> events, List<String> keys) {
        return events.filter(event -> keys.contains(event.key())).collect(Collectors.groupingBy(LabEvent::key));
    }

    /** How long nothing is granted after faults that make servers forget: the longest lease, and a deposed master. */
    static long grace(History history, long from, long until) {
        long grace = history.leaseNanos() * 4 / 3 + BEYOND_THE_LEASE.toNanos();
        return grace
                * history.forgetting().stream()
                        .filter(fault -> fault.touches(from - grace, until))
                        .count();
    }
}

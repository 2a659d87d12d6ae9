package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The period between the death of a holder and the next grant of its lock. If it read, no other instance did.
 *
 * @param dead the hold that ended with its JVM
 * @param death when the JVM was certainly dead
 * @param next when the lock was granted next; {@link Long#MAX_VALUE} if never
 * @param refusals "contended" answers between the two
 */
record Vacancy(LoggedHold dead, long death, long next, List<LabEvent> refusals) {

    /** How much longer than the longest lease the store grants nothing after it lost data. */
    private static final Duration BEYOND_THE_LEASE = Duration.ofMillis(600);

    static List<Vacancy> of(History history) {
        List<LoggedHold> dead = history.holds().values().stream()
                .flatMap(List::stream)
                .filter(hold -> hold.end().kind() == LoggedHold.Kind.KILLED
                        && hold.deadline() > hold.end().at())
                .toList();
        List<String> keys = dead.stream().map(LoggedHold::exclusive).distinct().toList();
        Map<String, List<LabEvent>> grants = byKey(
                Stream.concat(history.of(EventKind.GRANTED).stream(), history.of(EventKind.ACQUIRED).stream()), keys);
        Map<String, List<LabEvent>> refusals = byKey(
                history.of(EventKind.REFUSED).stream()
                        .filter(event -> event.note().equals("CONTENDED")),
                keys);
        return dead.stream()
                .filter(hold -> isLast(hold, history, grants.getOrDefault(hold.exclusive(), List.of())))
                .filter(hold -> !hold.reads() || isAlone(hold, history))
                .map(hold -> of(
                        hold,
                        history.deadAt(hold.worker()),
                        grants.getOrDefault(hold.exclusive(), List.of()),
                        refusals.getOrDefault(hold.exclusive(), List.of())))
                .toList();
    }

    /** Whether no one else had been granted the lock by then. */
    private static boolean isLast(LoggedHold dead, History history, List<LabEvent> grants) {
        long death = history.deadAt(dead.worker());
        return grants.stream()
                .noneMatch(event ->
                        !event.worker().equals(dead.worker()) && event.at() > dead.grantedAt() && event.at() <= death);
    }

    private static boolean isAlone(LoggedHold dead, History history) {
        return history.holds().getOrDefault(dead.exclusive(), List.of()).stream()
                .noneMatch(other -> !other.worker().equals(dead.worker())
                        && other.grantedAt() < dead.end().at()
                        && other.end().at() >= dead.end().at());
    }

    private static Vacancy of(LoggedHold dead, long death, List<LabEvent> grants, List<LabEvent> refusals) {
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
        return events.filter(event -> keys.contains(LoggedHold.exclusive(event.key())))
                .collect(Collectors.groupingBy(event -> LoggedHold.exclusive(event.key())));
    }

    /** Recovery time after faults that lose data: the longest lease, plus the time until an old master is deposed. */
    static long grace(History history, long from, long until) {
        long grace = history.leaseNanos() * 4 / 3 + BEYOND_THE_LEASE.toNanos();
        return grace
                * history.forgetting().stream()
                        .filter(fault -> fault.touches(from - grace, until))
                        .count();
    }
}

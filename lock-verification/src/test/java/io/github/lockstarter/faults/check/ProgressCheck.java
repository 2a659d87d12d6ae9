package io.github.lockstarter.faults.check;

import io.github.lockstarter.faults.event.EventKind;
import io.github.lockstarter.faults.event.LabEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * I5, second half: within lease + grace + 2 s of the death of a holder somebody else has the lock, if somebody wants
 * it. Found is who was told after that time that the lock is contended, though nobody had got it since.
 */
public final class ProgressCheck implements Check {

    private static final Duration AFTER_THE_LEASE = Duration.ofSeconds(2);

    /**
     * How long nothing is granted after a fault that makes a server forget: the longest lease, and a deposed master.
     */
    private static final Duration GRACE = Duration.ofMillis(3200);

    @Override
    public List<Violation> violations(History history) {
        Map<String, List<LabEvent>> refusals = history.of(EventKind.REFUSED).stream()
                .filter(event -> event.note().equals("CONTENDED"))
                .collect(Collectors.groupingBy(LabEvent::key));
        return history.holds().values().stream()
                .flatMap(List::stream)
                .filter(hold -> hold.end().kind() == Hold.Kind.KILLED
                        && hold.deadline() > hold.end().at())
                .flatMap(hold -> late(history, hold, refusals.getOrDefault(hold.key(), List.of())).stream())
                .toList();
    }

    private static Optional<Violation> late(History history, Hold dead, List<LabEvent> refusals) {
        long death = history.kills().get(dead.worker()).until();
        long leaseEnd = Math.max(dead.deadline(), death + history.leaseNanos());
        long next = history.holds().get(dead.key()).stream()
                .mapToLong(Hold::grantedAt)
                .filter(at -> at > death)
                .min()
                .orElse(Long.MAX_VALUE);
        return refusals.stream()
                .filter(event -> event.from() > death && event.at() < next)
                .filter(event -> event.at() - leaseEnd
                        > AFTER_THE_LEASE.toNanos() + excused(history, event.worker(), death, event.at()))
                .findFirst()
                .map(event -> Violation.of(
                        "I5",
                        dead.key(),
                        event.at(),
                        event.worker() + " still found it contended " + (event.at() - leaseEnd) / 1_000_000
                                + " ms after the lease of " + dead + ", which was killed",
                        dead));
    }

    private static long excused(History history, String worker, long from, long until) {
        long forgotten = history.forgetting().stream()
                .filter(fault -> fault.touches(from - GRACE.toNanos(), until))
                .count();
        return Allowance.forAnswer(history, worker, from, until)
                + Span.covered(history.faults(), from, until)
                + forgotten * GRACE.toNanos();
    }
}

package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * I5, second half: if the holder dies and others wait, one of them has the lock within lease (or session timeout, if
 * longer) + grace + 2 s. Elections may restart leases or sessions. Reports attempts that were still refused later
 * although no one had been granted the lock.
 */
public final class ProgressCheck implements Check {

    private static final Duration AFTER_THE_LEASE = Duration.ofSeconds(2);

    @Override
    public List<Violation> violations(History history) {
        return Vacancy.of(history).stream()
                .flatMap(vacancy -> late(history, vacancy).stream())
                .toList();
    }

    private static Optional<Violation> late(History history, Vacancy vacancy) {
        LoggedHold dead = vacancy.dead();
        long death = vacancy.death();
        long leaseEnd = Math.max(dead.deadline(), death + Math.max(history.leaseNanos(), history.sessionNanos()));
        return vacancy.refusals().stream()
                .filter(event -> event.from() > death)
                .filter(event -> event.at() - leaseEnd
                        > AFTER_THE_LEASE.toNanos() + excused(history, event.worker(), death, event.at()))
                .findFirst()
                .map(event -> violation(dead, event, leaseEnd));
    }

    private static Violation violation(LoggedHold dead, LabEvent event, long leaseEnd) {
        return Violation.of(
                "I5",
                dead.key(),
                event.at(),
                event.worker() + " still found it contended " + (event.at() - leaseEnd) / 1_000_000
                        + " ms after the lease of " + dead + ", which was killed",
                dead);
    }

    private static long excused(History history, String worker, long from, long until) {
        return Allowance.forAnswer(history, worker, from, until)
                + Span.covered(history.faults(), from, until)
                + history.electionDelay(from, until)
                + Vacancy.grace(history, from, until);
    }
}

package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.LabEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * I5, second half: within lease + grace + 2 s of the death of a holder somebody else has the lock, if somebody wants
 * it. Where locks end with a session, that is over after its time-out. Servers that elect a leader may begin leases or
 * sessions anew. Found is who was told after that time that the lock is contended, though nobody had got it since.
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
        Hold dead = vacancy.dead();
        long death = vacancy.death();
        long leaseEnd = Math.max(dead.deadline(), death + Math.max(history.leaseNanos(), history.sessionNanos()));
        return vacancy.refusals().stream()
                .filter(event -> event.from() > death)
                .filter(event -> event.at() - leaseEnd
                        > AFTER_THE_LEASE.toNanos() + excused(history, event.worker(), death, event.at()))
                .findFirst()
                .map(event -> violation(dead, event, leaseEnd));
    }

    private static Violation violation(Hold dead, LabEvent event, long leaseEnd) {
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
                + history.begunAnew(from, until)
                + Vacancy.grace(history, from, until);
    }
}

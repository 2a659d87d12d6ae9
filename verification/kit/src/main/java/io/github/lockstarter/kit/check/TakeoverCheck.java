package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.LabEvent;
import java.util.List;
import java.util.Optional;

/**
 * I5, for locks that may be taken over: if nothing else fails when the holder dies, another one has the lock within
 * 1.5 takeover times of the first attempt. Waiters retry every half of a takeover time. Reports attempts that were
 * still refused later although no one had been granted the lock. {@link ProgressCheck} checks stores whose locks end
 * with a session.
 */
public final class TakeoverCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        return Vacancy.of(history).stream()
                .filter(vacancy -> history.sessionNanos() == 0 && vacancy.dead().isTakenOver())
                .flatMap(vacancy -> late(history, vacancy).stream())
                .toList();
    }

    /**
     * Returns the times in ms from the death of a holder to the next grant. Counts only locks that others wanted at
     * the death or soon after: a key that only the killed worker uses waits for its next incarnation.
     */
    public static List<Long> millisAfterDeath(History history) {
        return Vacancy.of(history).stream()
                .flatMap(vacancy -> history.holds().getOrDefault(vacancy.dead().exclusive(), List.of()).stream()
                        .filter(hold -> hold.grantedAt() > vacancy.death())
                        .limit(1)
                        .filter(hold -> isTakenOver(history, hold) && isWantedInTime(vacancy, hold))
                        .map(hold -> (hold.grantedAt() - vacancy.death()) / 1_000_000))
                .toList();
    }

    /** After a session has ended, the next grant looks like any other. */
    private static boolean isTakenOver(History history, LoggedHold next) {
        return history.sessionNanos() != 0 || next.path().equals("TAKEN_OVER");
    }

    private static boolean isWantedInTime(Vacancy vacancy, LoggedHold next) {
        long latest = vacancy.death() + vacancy.dead().right().takeover() / 2;
        return next.requestedAt() < latest || vacancy.refusals().stream().anyMatch(event -> event.from() < latest);
    }

    private static Optional<Violation> late(History history, Vacancy vacancy) {
        long takeover = vacancy.dead().right().takeover();
        long firstLook = vacancy.refusals().stream()
                .mapToLong(event -> lookOf(event, vacancy.death(), takeover))
                .min()
                .orElse(Long.MAX_VALUE);
        return vacancy.refusals().stream()
                .filter(event -> event.at() - firstLook - takeover - takeover / 2
                        > excused(history, event.worker(), vacancy.death(), event.at()))
                .filter(event -> !isDisturbed(history, vacancy, event.at()))
                .findFirst()
                .map(event -> violation(vacancy.dead(), event, firstLook));
    }

    /**
     * When the attempt had certainly found the lock held: waiters retry in time, single attempts only before their
     * answer.
     */
    private static long lookOf(LabEvent refusal, long death, long takeover) {
        long begin = Math.max(death, refusal.from());
        return refusal.amount() == 0 ? refusal.at() : Math.min(refusal.at(), begin + takeover / 2);
    }

    private static boolean isDisturbed(History history, Vacancy vacancy, long until) {
        long from = vacancy.death() - vacancy.dead().right().takeover();
        return history.faults().stream()
                .anyMatch(fault -> !fault.target().equals(vacancy.dead().worker()) && fault.touches(from, until));
    }

    private static long excused(History history, String worker, long from, long until) {
        return Allowance.forAnswer(history, worker, from, until)
                + history.stalled(from, until)
                + Vacancy.grace(history, from, until);
    }

    private static Violation violation(LoggedHold dead, LabEvent event, long firstLook) {
        return Violation.of(
                "I5",
                dead.key(),
                event.at(),
                event.worker() + " still found it contended " + (event.at() - firstLook) / 1_000_000
                        + " ms after the first look at the lock of " + dead + ", which was killed",
                dead);
    }
}

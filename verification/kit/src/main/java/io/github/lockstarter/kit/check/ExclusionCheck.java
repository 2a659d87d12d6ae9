package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * I1: no two holds of one key overlap while their leases are valid, and nobody is granted a lock whose holder is
 * certain. A hold counts from when the application got it until its {@linkplain Hold#validUntil validity} ends. A lock
 * with several permits never has more holds than that, and no two in one slot.
 *
 * <p>An operator who ends the session of an instance, or the lease of a lock, frees locks before their holder learns of
 * it: which it has to, when it renews. The resource refuses what it writes meanwhile.
 */
public final class ExclusionCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        List<Violation> found = new ArrayList<>();
        history.holds().values().forEach(holds -> check(history, holds, found));
        Map<String, Long> permits = new TreeMap<>();
        history.of(EventKind.PERMITS).forEach(event -> permits.merge(event.key(), event.amount(), Math::max));
        permits.forEach((lock, most) -> count(history, lock, most, found));
        return found;
    }

    /** Whatever their slots are. */
    private static void count(History history, String lock, long permits, List<Violation> found) {
        List<Hold> valid = history.holds().entrySet().stream()
                .filter(holds -> LabEvent.lockOf(holds.getKey()).equals(lock))
                .flatMap(holds -> holds.getValue().stream())
                .filter(Hold::wasValid)
                .sorted(Comparator.comparingLong(Hold::grantedAt))
                .toList();
        List<Hold> present = new ArrayList<>();
        for (Hold hold : valid) {
            present.removeIf(
                    each -> each.validUntil() <= hold.grantedAt() || wasRevoked(history, each, hold.grantedAt()));
            present.add(hold);
            if (present.size() > permits) {
                found.add(new Violation(
                        "I1",
                        lock,
                        hold.grantedAt(),
                        hold + " was granted while all " + permits + " permits were held",
                        present));
            }
        }
    }

    private static void check(History history, List<Hold> holds, List<Violation> found) {
        List<Hold> valid = holds.stream().filter(Hold::wasValid).toList();
        Hold longest = null;
        for (Hold hold : valid) {
            if (longest != null
                    && hold.grantedAt() < longest.validUntil()
                    && !wasRevoked(history, longest, hold.grantedAt())) {
                long millis = (Math.min(longest.validUntil(), hold.validUntil()) - hold.grantedAt()) / 1_000_000;
                found.add(Violation.of(
                        "I1",
                        hold.key(),
                        hold.grantedAt(),
                        hold + " was granted while it was held by " + longest + "; both for " + millis + " ms",
                        longest,
                        hold));
            }
            if (longest == null || hold.validUntil() > longest.validUntil()) {
                longest = hold;
            }
        }
    }

    /** A holder that is cut off learns it from no answer: what became of its release is unknown to it. */
    private static boolean wasRevoked(History history, Hold hold, long nextGrantedAt) {
        String outcome = hold.end().cause();
        boolean learnt =
                hold.end().kind() != Hold.Kind.RELEASED || outcome.startsWith("LOST") || outcome.equals("UNKNOWN");
        return (learnt || mayBeExecutedTwice(history, hold) || mayBeUndone(history, hold, nextGrantedAt))
                && history.revoking().stream()
                        .anyMatch(fault -> fault.touches(nextGrantedAt - history.untilLearnt(), nextGrantedAt));
    }

    /** A server that forgets a revocation has the lock again, and its holder never learns that it was taken away. */
    private static boolean mayBeUndone(History history, Hold hold, long revokedBefore) {
        return history.forgetting().stream()
                .anyMatch(fault -> fault.touches(revokedBefore, hold.end().at()));
    }

    /**
     * A release that is sent again says that the lock is released, whether or not it was there at the first time. The
     * end of a session breaks its connection; another revocation breaks none.
     */
    private static boolean mayBeExecutedTwice(History history, Hold hold) {
        long answered = Math.max(hold.end().at(), hold.end().returnedAt());
        return history.outsideFaults().stream()
                .filter(fault ->
                        history.sessionNanos() > 0 || !history.revoking().contains(fault))
                .anyMatch(fault -> fault.touches(hold.end().at(), answered));
    }
}

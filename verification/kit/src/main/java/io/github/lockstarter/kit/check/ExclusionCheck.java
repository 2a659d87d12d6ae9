package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * I1: no two holds of one key overlap while they are {@linkplain LoggedHold#validUntil valid}, unless both read. A lock
 * with several permits never has more holds than permits, and no two in one slot.
 *
 * <p>Exception: when an operator ends the session of an instance, or the lease of a lock, the lock becomes free before
 * its holder detects the loss by its next renewal. The resource rejects writes of that holder meanwhile.
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

    /** Counts the holds of all slots. */
    private static void count(History history, String lock, long permits, List<Violation> found) {
        List<LoggedHold> valid = history.holds().entrySet().stream()
                .filter(holds -> LabEvent.lockOf(holds.getKey()).equals(lock))
                .flatMap(holds -> holds.getValue().stream())
                .filter(hold -> hold.wasValid() && !hold.reads())
                .sorted(Comparator.comparingLong(LoggedHold::grantedAt))
                .toList();
        List<LoggedHold> present = new ArrayList<>();
        for (LoggedHold hold : valid) {
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

    private static void check(History history, List<LoggedHold> holds, List<Violation> found) {
        LoggedHold writer = null;
        LoggedHold reader = null;
        for (LoggedHold hold : holds.stream().filter(LoggedHold::wasValid).toList()) {
            compare(history, writer, hold, found);
            if (hold.reads()) {
                reader = longer(reader, hold);
            } else {
                compare(history, reader, hold, found);
                writer = longer(writer, hold);
            }
        }
    }

    private static LoggedHold longer(@Nullable LoggedHold longest, LoggedHold hold) {
        return longest == null || hold.validUntil() > longest.validUntil() ? hold : longest;
    }

    private static void compare(History history, @Nullable LoggedHold longest, LoggedHold hold, List<Violation> found) {
        if (longest != null
                && hold.grantedAt() < longest.validUntil()
                && !wasRevoked(history, longest, hold.grantedAt())) {
            long millis = (Math.min(longest.validUntil(), hold.validUntil()) - hold.grantedAt()) / 1_000_000;
            found.add(Violation.of(
                    "I1",
                    hold.exclusive(),
                    hold.grantedAt(),
                    hold + " was granted while it was held by " + longest + "; both for " + millis + " ms",
                    longest,
                    hold));
        }
    }

    /** A disconnected holder does not detect the revocation, and the outcome of its release is unknown. */
    private static boolean wasRevoked(History history, LoggedHold hold, long nextGrantedAt) {
        String outcome = hold.end().cause();
        boolean detected = hold.end().kind() != LoggedHold.Kind.RELEASED
                || outcome.startsWith("LOST")
                || outcome.equals("UNKNOWN");
        return (detected || mayBeExecutedTwice(history, hold) || mayBeUndone(history, hold, nextGrantedAt))
                && history.revoking().stream()
                        .anyMatch(fault -> fault.touches(nextGrantedAt - history.revocationDelay(), nextGrantedAt));
    }

    /** A server that forgets a revocation has the lock again, so its holder never detects the revocation. */
    private static boolean mayBeUndone(History history, LoggedHold hold, long revokedBefore) {
        return history.forgetting().stream()
                .anyMatch(fault -> fault.touches(revokedBefore, hold.end().at()));
    }

    /**
     * A repeated release reports success whether or not the lock was there at first. Ending a session breaks its
     * connection; other revocations do not.
     */
    private static boolean mayBeExecutedTwice(History history, LoggedHold hold) {
        long answered = Math.max(hold.end().at(), hold.end().returnedAt());
        return history.outsideFaults().stream()
                .filter(fault ->
                        history.sessionNanos() > 0 || !history.revoking().contains(fault))
                .anyMatch(fault -> fault.touches(hold.end().at(), answered));
    }
}

package io.github.lockstarter.kit.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * I2: fencing tokens of a key are unique and grow in the order of the grants. Readers of an instance share one, which
 * is also that of the writer that was downgraded to read; readers are in no order among themselves. Ignores the order
 * of holds whose lease had ended when the application received them, since the time of their grant is unknown. Reports
 * each break of the order once.
 *
 * <p>Exception: an instance that has not yet detected a revocation may still hand the lock over. The resource rejects
 * the writes of such a hold.
 */
public final class FencingOrderCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        List<Violation> found = new ArrayList<>();
        history.holds().values().forEach(holds -> check(history, holds, found));
        return found;
    }

    private static void check(History history, List<LoggedHold> holds, List<Violation> found) {
        Map<Long, LoggedHold> byToken = new HashMap<>();
        LoggedHold last = null; // that writes
        LoggedHold highest = null; // of the readers since then
        for (LoggedHold hold : holds) {
            LoggedHold same = byToken.putIfAbsent(hold.token(), hold);
            if (same != null && !(hold.reads() && hold.worker().equals(same.worker()))) {
                found.add(violation(hold, same));
            }
            if (hold.wasValid()) {
                LoggedHold before = hold.reads() || highest == null ? last : highest;
                if (before != null && hold.token() < before.token() && !mayBeRevoked(history, hold)) {
                    found.add(violation(hold, before));
                }
                if (!hold.reads()) {
                    last = hold;
                    highest = null;
                } else if (highest == null || hold.token() > highest.token()) {
                    highest = hold;
                }
            }
        }
    }

    private static boolean mayBeRevoked(History history, LoggedHold hold) {
        return history.revoking().stream()
                .anyMatch(fault -> fault.touches(hold.grantedAt() - history.revocationDelay(), hold.grantedAt()));
    }

    private static Violation violation(LoggedHold later, LoggedHold earlier) {
        return Violation.of(
                "I2", later.exclusive(), later.grantedAt(), later + " came after " + earlier, earlier, later);
    }
}

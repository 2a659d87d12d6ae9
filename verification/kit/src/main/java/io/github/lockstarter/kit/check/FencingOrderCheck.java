package io.github.lockstarter.kit.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * I2: fencing tokens of a key are unique and grow in the order of the grants. A hold whose lease was over when the
 * application got it was granted at some earlier moment that nobody knows, so it is left out of the order. Each break
 * of the order is found once, however many holds follow that are below an earlier one.
 *
 * <p>An instance that has not learned yet that an operator took its lock away may still hand it over. The resource
 * refuses what such a hold writes.
 */
public final class FencingOrderCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        List<Violation> found = new ArrayList<>();
        history.holds().values().forEach(holds -> check(history, holds, found));
        return found;
    }

    private static void check(History history, List<Hold> holds, List<Violation> found) {
        Map<Long, Hold> byToken = new HashMap<>();
        Hold last = null;
        for (Hold hold : holds) {
            Hold same = byToken.putIfAbsent(hold.token(), hold);
            if (same != null) {
                found.add(violation(hold, same));
            }
            if (hold.wasValid()) {
                if (last != null && hold.token() < last.token() && !mayBeRevoked(history, hold)) {
                    found.add(violation(hold, last));
                }
                last = hold;
            }
        }
    }

    private static boolean mayBeRevoked(History history, Hold hold) {
        return history.revoking().stream()
                .anyMatch(fault -> fault.touches(hold.grantedAt() - history.untilLearnt(), hold.grantedAt()));
    }

    private static Violation violation(Hold later, Hold earlier) {
        return Violation.of("I2", later.key(), later.grantedAt(), later + " came after " + earlier, earlier, later);
    }
}

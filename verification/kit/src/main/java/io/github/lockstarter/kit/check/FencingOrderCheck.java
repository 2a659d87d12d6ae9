package io.github.lockstarter.kit.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * I2: fencing tokens of a key are unique and grow in the order of the grants. A hold whose lease was over when the
 * application got it was granted at some earlier moment that nobody knows, so it is left out of the order. Each break
 * of the order is found once, however many holds follow that are below an earlier one.
 */
public final class FencingOrderCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        List<Violation> found = new ArrayList<>();
        history.holds().values().forEach(holds -> check(holds, found));
        return found;
    }

    private static void check(List<Hold> holds, List<Violation> found) {
        Map<Long, Hold> byToken = new HashMap<>();
        Hold last = null;
        for (Hold hold : holds) {
            Hold same = byToken.putIfAbsent(hold.token(), hold);
            if (same != null) {
                found.add(violation(hold, same));
            }
            if (hold.wasValid()) {
                if (last != null && hold.token() < last.token()) {
                    found.add(violation(hold, last));
                }
                last = hold;
            }
        }
    }

    private static Violation violation(Hold later, Hold earlier) {
        return Violation.of("I2", later.key(), later.grantedAt(), later + " came after " + earlier, earlier, later);
    }
}

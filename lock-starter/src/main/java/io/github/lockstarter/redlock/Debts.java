package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Tokens that one node may still have and should not, since it did not answer when it was told to free them. They are freed
 * when it answers again; without that, a node that was away for a moment would keep its vote from everybody for a lease.
 * Only a token that is given up gets here, and no attempt is made with such a token again, so none that is owed is ever held.
 * The oldest are forgotten first; what is forgotten ends with its lease. Thread-safe; {@link #owed} is guarded by this.
 */
final class Debts {

    static final int MOST = 1_024;

    /**
     * A token to free.
     *
     * @param until when its lease is over at the latest
     */
    record Debt(String key, LockToken token, long until) {}

    private final ArrayDeque<Debt> owed = new ArrayDeque<>();

    synchronized void add(Debt debt) {
        if (owed.size() == MOST) {
            owed.removeFirst();
        }
        owed.addLast(debt);
    }

    /** Takes out all that is not over. */
    synchronized List<Debt> collect(long now) {
        if (owed.isEmpty()) {
            return List.of();
        }
        List<Debt> due = new ArrayList<>(owed);
        owed.clear();
        due.removeIf(debt -> debt.until() - now <= 0);
        return due;
    }
}

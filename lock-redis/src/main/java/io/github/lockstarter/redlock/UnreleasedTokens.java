package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tokens that one node may still have and should not, since it did not answer when it was told to free them. They are freed
 * when it answers again; without that, a node that was away for a moment would keep its vote from everybody for a lease.
 * Only a token that is given up gets here, and no attempt is made with such a token again, so none that is owed is ever held.
 * Each is owed once, however often it was to be freed. The oldest are forgotten first; what is forgotten ends with its lease. Thread-safe; {@link #owed} is guarded by {@link #lock}.
 */
final class UnreleasedTokens {

    static final int MOST = 1_024;

    /**
     * A token to free.
     *
     * @param until when its lease is over at the latest
     */
    record Debt(String key, LockToken token, long until) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<LockToken, Debt> owed = new LinkedHashMap<>();

    void add(Debt debt) {
        lock.lock();
        try {
            Debt known = owed.remove(debt.token());
            if (owed.size() == MOST) {
                owed.remove(owed.keySet().iterator().next());
            }
            owed.put(debt.token(), known != null && known.until() - debt.until() > 0 ? known : debt);
        } finally {
            lock.unlock();
        }
    }

    /** Takes out all that is not over. */
    List<Debt> collect(long now) {
        lock.lock();
        try {
            if (owed.isEmpty()) {
                return List.of();
            }
            List<Debt> due = new ArrayList<>(owed.values());
            owed.clear();
            due.removeIf(debt -> debt.until() - now <= 0);
            return due;
        } finally {
            lock.unlock();
        }
    }
}

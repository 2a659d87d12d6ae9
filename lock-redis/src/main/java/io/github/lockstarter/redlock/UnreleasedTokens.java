package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tokens that one node may still hold because it did not answer a release. They are freed when it answers again;
 * without that, a node that was away for a moment would keep its vote from all owners for a lease. Only a token that
 * is given up gets here, and no attempt is made with such a token again, so none in here is ever held. Each is in here
 * once, however often it was to be freed. The oldest are forgotten first; what is forgotten ends with its lease.
 * Thread-safe; {@link #tokens} is guarded by {@link #lock}.
 */
final class UnreleasedTokens {

    static final int MOST = 1_024;

    /**
     * A token to free.
     *
     * @param release how; one that keeps the lock for a minimum time goes before one that frees it
     * @param until when its lease is over at the latest
     */
    record Unreleased(ReleaseCommand release, long until) {

        private LockToken token() {
            return release.token();
        }

        private Unreleased and(Unreleased other) {
            ReleaseCommand kept = release.atLeast().isZero() ? other.release : release;
            return new Unreleased(kept, until - other.until > 0 ? until : other.until);
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<LockToken, Unreleased> tokens = new LinkedHashMap<>();

    void add(Unreleased unreleased) {
        lock.lock();
        try {
            Unreleased known = tokens.remove(unreleased.token());
            if (tokens.size() == MOST) {
                tokens.remove(tokens.keySet().iterator().next());
            }
            tokens.put(unreleased.token(), known == null ? unreleased : unreleased.and(known));
        } finally {
            lock.unlock();
        }
    }

    /** Takes out all that is not over. */
    List<Unreleased> collect(long now) {
        lock.lock();
        try {
            if (tokens.isEmpty()) {
                return List.of();
            }
            List<Unreleased> due = new ArrayList<>(tokens.values());
            tokens.clear();
            due.removeIf(unreleased -> unreleased.until() - now <= 0);
            return due;
        } finally {
            lock.unlock();
        }
    }
}

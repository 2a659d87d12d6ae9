package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tokens that one node may still hold because it did not answer a release. They are freed when it answers again;
 * without that, a node that was away for a moment would keep its vote from all owners for a lease. Only a token that
 * is given up gets here, and no attempt is made with such a token again, so none in here is ever held. Each is in here
 * once, however often it was to be freed. The oldest are forgotten first; what is forgotten ends with its lease.
 * Thread-safe.
 */
final class UnreleasedTokens {

    static final int MOST = 1_024;

    /**
     * A token to free.
     *
     * @param release how; one that keeps the lock for a minimum time goes before one that frees it
     * @param until when its lease is over at the latest
     */
    record Unreleased(ReleaseCommand release, long until) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<LockToken, Unreleased> tokens = new LinkedHashMap<>();

    void add(ReleaseCommand release, long until) {
        lock.lock();
        try {
            Unreleased added = new Unreleased(release, until);
            Unreleased known = tokens.remove(release.token());
            if (known != null) {
                added = new Unreleased(
                        known.release.atLeast().isZero() ? release : known.release,
                        known.until - until > 0 ? known.until : until);
            } else if (tokens.size() == MOST) {
                tokens.remove(tokens.keySet().iterator().next());
            }
            tokens.put(release.token(), added);
        } finally {
            lock.unlock();
        }
    }

    /** Takes out all that is not over. */
    List<Unreleased> collect(long now) {
        lock.lock();
        try {
            List<Unreleased> due = tokens.values().stream()
                    .filter(unreleased -> unreleased.until - now > 0)
                    .toList();
            tokens.clear();
            return due;
        } finally {
            lock.unlock();
        }
    }
}

package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Given-up tokens that one node may still hold because it did not answer their release; freed when it answers again,
 * since a short outage would otherwise withhold the node's vote for a whole lease. The oldest is dropped when full; it
 * ends with its lease. Thread-safe.
 */
final class UnreleasedTokens {

    static final int MOST = 1_024;

    /** @param release a release with a minimum hold takes precedence over one without */
    record Unreleased(ReleaseCommand release, long until) {}

    private final Map<LockToken, Unreleased> tokens = new LinkedHashMap<>();

    synchronized void add(ReleaseCommand release, long until) {
        Unreleased added = new Unreleased(release, until);
        Unreleased known = tokens.remove(release.token());
        if (known != null) {
            added = new Unreleased(
                    known.release.minHold().isZero() ? release : known.release,
                    known.until - until > 0 ? known.until : until);
        } else if (tokens.size() == MOST) {
            tokens.remove(tokens.keySet().iterator().next());
        }
        tokens.put(release.token(), added);
    }

    synchronized List<Unreleased> collect(long now) {
        List<Unreleased> due = tokens.values().stream()
                .filter(unreleased -> unreleased.until - now > 0)
                .toList();
        tokens.clear();
        return due;
    }
}

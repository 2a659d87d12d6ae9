package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.Optional;

/**
 * A row, as it was read.
 *
 * @param key of the lock, or of one of its slots
 * @param owner the value of the token that has the lock; empty while the lock is kept for its minimum time
 * @param fencingToken the last of the grant; 0 if it is not numbered yet
 * @param remainingMicros how long it lasts; 0 or less if it is over
 * @param isWanted whether its release notifies
 */
record LockRow(String key, Optional<String> owner, long fencingToken, long remainingMicros, boolean isWanted) {

    boolean isOver() {
        return remainingMicros <= 0;
    }

    boolean isOf(LockToken token) {
        return owner.filter(token.value()::equals).isPresent();
    }

    boolean isKept() {
        return owner.isEmpty();
    }

    Duration remaining() {
        return Duration.ofNanos(Math.max(1, remainingMicros) * 1_000);
    }

    /** What others may know of the owner. */
    Optional<LockHolder> holder() {
        return owner.map(LockToken::holderOf);
    }
}

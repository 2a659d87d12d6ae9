package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.Optional;

/**
 * A row as read.
 *
 * @param key of the lock or of one of its slots
 * @param owner value of the lock token; empty while the lock is kept for its minimum hold
 * @param fencingToken last of the grant; 0 before the grant is numbered
 * @param remainingMicros time to expiry; 0 or less if expired
 */
record LockRow(String key, Optional<String> owner, long fencingToken, long remainingMicros) {

    boolean isExpired() {
        return remainingMicros <= 0;
    }

    boolean isOf(String token) {
        return owner.equals(Optional.of(token));
    }

    boolean isKept() {
        return owner.isEmpty();
    }

    Duration remaining() {
        return Duration.ofNanos(Math.max(1, remainingMicros) * 1_000);
    }

    Optional<LockHolder> holder() {
        return owner.map(LockToken::holderOf);
    }
}

package io.github.lockstarter.etcd;

import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The etcd leases of this backend's attempts: granted ones, and those with an unknown outcome, which may still take
 * effect. A lock that is not found here is read from etcd, so a forgotten entry costs one request. Thread-safe.
 */
final class Attempts {

    private static final int SWEEP_EVERY = 1024;
    private static final Duration LEEWAY = Duration.ofMinutes(1);

    /**
     * The attempts of one token. Times are monotonic nanoseconds.
     *
     * @param leases each attached to at most the lock's key
     * @param grantedAt after the grant; empty if unknown
     * @param over when all leases have ended
     */
    record TokenLeases(List<Long> leases, Optional<Long> grantedAt, long over) {

        static TokenLeases with(long lease, long seconds, long now) {
            long over = now + 2 * Duration.ofSeconds(seconds).plus(LEEWAY).toNanos();
            return new TokenLeases(List.of(lease), Optional.empty(), over);
        }

        private TokenLeases and(TokenLeases later) {
            List<Long> all = Stream.concat(leases.stream(), later.leases.stream())
                    .distinct()
                    .toList();
            return new TokenLeases(all, grantedAt, later.over);
        }

        private TokenLeases without(long lease) {
            List<Long> left = new ArrayList<>(leases);
            left.remove((Object) lease);
            return new TokenLeases(left, grantedAt, over);
        }
    }

    private final ConcurrentMap<LockToken, TokenLeases> attempts = new ConcurrentHashMap<>();
    private final AtomicInteger begun = new AtomicInteger();

    /** Call before the lease is used. */
    void begin(LockToken token, long lease, long seconds) {
        long now = System.nanoTime();
        if (begun.incrementAndGet() % SWEEP_EVERY == 0) {
            attempts.values().removeIf(attempt -> now - attempt.over > 0);
        }
        attempts.merge(token, TokenLeases.with(lease, seconds, now), TokenLeases::and);
    }

    /** Call after a renewal of the lease, or before the lease replaces the lock's lease. */
    void renewed(LockToken token, long lease, long seconds) {
        TokenLeases renewed = TokenLeases.with(lease, seconds, System.nanoTime());
        attempts.computeIfPresent(token, (key, attempt) -> attempt.and(renewed));
    }

    /** Records the first grant only. */
    void granted(LockToken token, long now) {
        attempts.computeIfPresent(
                token,
                (key, attempt) -> attempt.grantedAt.isPresent()
                        ? attempt
                        : new TokenLeases(attempt.leases, Optional.of(now), attempt.over));
    }

    Optional<TokenLeases> of(LockToken token) {
        return Optional.ofNullable(attempts.get(token));
    }

    /** Call when the lease certainly has no lock and will not get one. */
    void forget(LockToken token, long lease) {
        attempts.computeIfPresent(token, (key, attempt) -> {
            TokenLeases left = attempt.without(lease);
            return left.leases.isEmpty() ? null : left;
        });
    }

    /** Call when the token has no lock, or its lock can be read from etcd. */
    void forget(LockToken token) {
        attempts.remove(token);
    }
}

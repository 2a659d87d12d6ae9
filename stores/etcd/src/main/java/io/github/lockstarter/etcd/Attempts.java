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
 * The leases in etcd of the attempts of this backend: of those that were granted, and of those whose outcome is not
 * known, which may take effect later. A lock of which nothing is remembered here is looked up in etcd instead, so what
 * is forgotten costs a request. Thread-safe.
 */
final class Attempts {

    private static final int SWEEP_EVERY = 1024;
    private static final Duration LEEWAY = Duration.ofMinutes(1);

    /**
     * What is known of the attempts of one token.
     *
     * @param leases in etcd, each with at most the lock's key
     * @param grantedAt monotonic nanoseconds after the grant; empty if none is known
     * @param over when all the leases have ended
     */
    record Attempt(List<Long> leases, Optional<Long> grantedAt, long over) {

        static Attempt with(long lease, long seconds, long now) {
            long over = now + 2 * Duration.ofSeconds(seconds).plus(LEEWAY).toNanos();
            return new Attempt(List.of(lease), Optional.empty(), over);
        }

        private Attempt and(Attempt later) {
            List<Long> all = Stream.concat(leases.stream(), later.leases.stream())
                    .distinct()
                    .toList();
            return new Attempt(all, grantedAt, later.over);
        }

        private Attempt without(long lease) {
            List<Long> left = new ArrayList<>(leases);
            left.remove((Object) lease);
            return new Attempt(left, grantedAt, over);
        }
    }

    private final ConcurrentMap<LockToken, Attempt> attempts = new ConcurrentHashMap<>();
    private final AtomicInteger begun = new AtomicInteger();

    /** A lease is about to be used. */
    void begin(LockToken token, long lease, long seconds) {
        long now = System.nanoTime();
        if (begun.incrementAndGet() % SWEEP_EVERY == 0) {
            attempts.values().removeIf(attempt -> now - attempt.over > 0);
        }
        attempts.merge(token, Attempt.with(lease, seconds, now), Attempt::and);
    }

    /** A lease of the token was renewed, or is about to get the lock of another one. */
    void renewed(LockToken token, long lease, long seconds) {
        Attempt renewed = Attempt.with(lease, seconds, System.nanoTime());
        attempts.computeIfPresent(token, (key, attempt) -> attempt.and(renewed));
    }

    /** The lease has a lock from now on, at the latest. */
    void granted(LockToken token, long now) {
        attempts.computeIfPresent(
                token,
                (key, attempt) -> attempt.grantedAt.isPresent()
                        ? attempt
                        : new Attempt(attempt.leases, Optional.of(now), attempt.over));
    }

    Optional<Attempt> of(LockToken token) {
        return Optional.ofNullable(attempts.get(token));
    }

    /** The lease certainly has no lock, and will have none. */
    void forget(LockToken token, long lease) {
        attempts.computeIfPresent(token, (key, attempt) -> {
            Attempt left = attempt.without(lease);
            return left.leases.isEmpty() ? null : left;
        });
    }

    /** None of the leases of the token has a lock, or it is to be looked up. */
    void forget(LockToken token) {
        attempts.remove(token);
    }
}

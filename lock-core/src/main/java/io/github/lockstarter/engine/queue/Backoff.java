package io.github.lockstarter.engine.queue;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How long the first waiter of a key sleeps unless it is signalled: each time twice as long, with jitter, cut short by
 * the end of the obstacle's lease, plus a few random milliseconds so that not all instances come in the same one. Where
 * the heartbeats look at the owner, only a signal can have been missed, and the waiter looks more seldom. No signal is
 * needed where the lock is kept: the waiter sleeps until its registration has to be repeated.
 */
public final class Backoff {

    private static final long SPREAD_NANOS = 4_000_000;

    /** Of the longest delay. */
    private static final double FIRST_SHARE = 0.1;

    /** Share of each delay that is random. */
    private static final double JITTER = 0.2;

    /** How many times as long a waiter sleeps where the heartbeats look at the owner. */
    private static final int WATCHED = 6;

    private final Duration maxDelay;
    private final RandomGenerator random;

    /**
     * A backoff.
     *
     * @param maxDelay longest delay where nobody looks at the owner; the first one is a tenth of it
     * @param random the jitter
     */
    public Backoff(Duration maxDelay, RandomGenerator random) {
        this.maxDelay = maxDelay;
        this.random = random;
    }

    long nanos(int round, Obstacle obstacle) {
        if (obstacle.isKept()) {
            Duration longest = patience().minus(maxDelay);
            return Math.min(obstacle.remaining().orElse(longest).toNanos() + spread(), longest.toNanos());
        }
        double grown = (double) maxDelay.toNanos() * FIRST_SHARE * Math.pow(2, round);
        double longest = (double) maxDelay.toNanos() * (obstacle.watched().isPresent() ? WATCHED : 1);
        double capped = Math.min(grown, longest);
        long delay = (long) (capped * (1 - JITTER * random.nextDouble()));
        return Math.min(atMost(delay, obstacle.remaining()), atMost(delay, obstacle.lookAgain()));
    }

    private long atMost(long delay, Optional<Duration> limit) {
        return limit.isEmpty() ? delay : Math.min(delay, limit.get().toNanos() + spread());
    }

    private long spread() {
        return 1_000_000 + random.nextLong(SPREAD_NANOS);
    }

    /** As {@link #patience(Duration)}. */
    Duration patience() {
        return patience(maxDelay);
    }

    /**
     * How long a registration must be kept at the backend so that the next look comes in time to repeat it.
     *
     * @param maxDelay longest delay where nobody looks at the owner
     */
    public static Duration patience(Duration maxDelay) {
        return maxDelay.multipliedBy(WATCHED).plusSeconds(10);
    }
}

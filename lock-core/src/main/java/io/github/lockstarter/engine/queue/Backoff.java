package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long the first waiter of a key sleeps unless it is signalled: exponential backoff with jitter, cut short by the
 * end of the obstacle's lease, plus a few random milliseconds so that not all instances come in the same one. Where the
 * heartbeats look at the owner, only a signal can have been missed, and the waiter looks more seldom. No signal is
 * needed where the lock is kept: the waiter sleeps until its registration has to be repeated.
 */
public final class Backoff {

    private static final long SPREAD_NANOS = 4_000_000;

    /** How many times as long a waiter sleeps where the heartbeats look at the owner. */
    private static final int WATCHED = 6;

    private final EngineSettings.Retry settings;

    public Backoff(EngineSettings.Retry settings) {
        this.settings = settings;
    }

    long nanos(int round, Obstacle obstacle) {
        if (obstacle.isKept()) {
            Duration longest = patience().minus(settings.maxDelay());
            return Math.min(obstacle.remaining().orElse(longest).toNanos() + spread(), longest.toNanos());
        }
        double grown = (double) settings.initialDelay().toNanos() * Math.pow(settings.multiplier(), round);
        double longest =
                (double) settings.maxDelay().toNanos() * (obstacle.watched().isPresent() ? WATCHED : 1);
        double capped = Math.min(grown, longest);
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long delay = (long) (capped * (1 - settings.jitter() * random.nextDouble()));
        return Math.min(atMost(delay, obstacle.remaining()), atMost(delay, obstacle.lookAgain()));
    }

    private static long atMost(long delay, Optional<Duration> limit) {
        return limit.isEmpty() ? delay : Math.min(delay, limit.get().toNanos() + spread());
    }

    private static long spread() {
        return 1_000_000 + ThreadLocalRandom.current().nextLong(SPREAD_NANOS);
    }

    /** How long a registration must be kept at the backend so that the next look comes in time to repeat it. */
    public Duration patience() {
        return settings.maxDelay().multipliedBy(WATCHED).plusSeconds(10);
    }
}

package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long the first waiter of a key sleeps unless it is signalled: exponential backoff with jitter, cut short by the
 * end of the obstacle's lease, or by the next look at an owner that may have crashed, plus a few random milliseconds
 * so that not all instances come in the same one. No signal is needed where the lock is kept: the waiter sleeps until
 * its registration has to be repeated.
 */
public final class Backoff {

    private static final long SPREAD_NANOS = 4_000_000;

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
        double capped = Math.min(grown, (double) settings.maxDelay().toNanos());
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
        return settings.maxDelay().multipliedBy(4).plusSeconds(10);
    }
}

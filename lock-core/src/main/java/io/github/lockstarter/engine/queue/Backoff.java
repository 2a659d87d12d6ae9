package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.settings.EngineSettings;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long the first waiter of a key sleeps unless it is signalled: exponential backoff with jitter, cut short by the
 * end of the obstacle's lease, plus a few random milliseconds so that not all instances come in the same one.
 */
public final class Backoff {

    private static final long SPREAD_NANOS = 4_000_000;

    private final EngineSettings.Retry settings;

    public Backoff(EngineSettings.Retry settings) {
        this.settings = settings;
    }

    long nanos(int round, Obstacle obstacle) {
        double grown = (double) settings.initialDelay().toNanos() * Math.pow(settings.multiplier(), round);
        double capped = Math.min(grown, (double) settings.maxDelay().toNanos());
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long delay = (long) (capped * (1 - settings.jitter() * random.nextDouble()));
        long spread = 1_000_000 + random.nextLong(SPREAD_NANOS);
        return obstacle.remaining()
                .map(Duration::toNanos)
                .map(left -> Math.min(delay, left + spread))
                .orElse(delay);
    }

    /** How long a registration must be kept at the backend so that the next look comes in time to repeat it. */
    public Duration patience() {
        return settings.maxDelay().multipliedBy(4).plusSeconds(10);
    }
}

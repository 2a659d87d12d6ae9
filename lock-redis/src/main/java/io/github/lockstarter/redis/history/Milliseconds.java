package io.github.lockstarter.redis.history;

import java.time.Duration;

/** Durations as scripts take them. */
public final class Milliseconds {

    private static final int NANOS = 1_000_000;

    private Milliseconds() {}

    /** Rounded up: the server must not end a lease before its owner does. */
    public static String text(Duration duration) {
        boolean isWhole = duration.toNanosPart() % NANOS == 0;
        return Long.toString(duration.toMillis() + (isWhole ? 0 : 1));
    }
}

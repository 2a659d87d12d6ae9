package io.github.lockstarter.redis.history;

import java.time.Duration;

/** Durations as scripts take them. */
public final class Milliseconds {

    private Milliseconds() {}

    /** Rounded up: the server must not end a lease before its owner does. */
    public static String text(Duration duration) {
        return Long.toString(duration.plusNanos(999_999).toMillis());
    }
}

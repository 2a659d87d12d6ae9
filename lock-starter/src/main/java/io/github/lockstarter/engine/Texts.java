package io.github.lockstarter.engine;

import java.time.Duration;
import java.util.Locale;

/** Durations as people read them in messages: {@code 800ms}, {@code 2s}, {@code 8.1s}, {@code 90s}. */
final class Texts {

    private Texts() {}

    static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1000) {
            return millis + "ms";
        }
        if (millis % 1000 == 0) {
            return (millis / 1000) + "s";
        }
        return String.format(Locale.ROOT, "%.1fs", millis / 1000.0);
    }

    /** A value that somebody has to correct: not rounded, since it may be off by little. */
    static String exactly(Duration duration) {
        return duration.toMillis() + "ms";
    }
}

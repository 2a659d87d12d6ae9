package io.github.lockstarter.engine.timer;

import java.time.Duration;
import java.util.Locale;

/** Durations as people read them in messages: {@code 800ms}, {@code 2s}, {@code 8.1s}, {@code 90s}. */
public final class DurationText {

    private DurationText() {}

    /** A duration for a message, rounded to tenths of a second. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1000) {
            return millis + "ms";
        }
        if (millis % 1000 == 0) {
            return (millis / 1000) + "s";
        }
        return String.format(Locale.ROOT, "%.1fs", millis / 1000.0);
    }
}

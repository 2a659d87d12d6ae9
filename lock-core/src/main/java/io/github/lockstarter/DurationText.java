package io.github.lockstarter;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;

/** Durations as messages show them: {@code 800ms}, {@code 2s}, {@code 8.1s}, {@code 90s}. For the modules of stores. */
public final class DurationText {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private DurationText() {}

    /**
     * A measured time.
     *
     * @param duration any
     * @return in milliseconds below one second, else in seconds, rounded to tenths
     */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        return millis < 1000 || millis % 1000 == 0
                ? exactly(Duration.ofMillis(millis))
                : String.format(Locale.ROOT, "%.1fs", millis / 1000.0);
    }

    /**
     * A configured time, or a bound of it: not rounded, since it may be off by little.
     *
     * @param duration any
     * @return in milliseconds below one second, else in seconds, or in whole days
     */
    public static String exactly(Duration duration) {
        if (!duration.isZero() && duration.equals(Duration.ofDays(duration.toDays()))) {
            return duration.toDays() + "d";
        }
        BigDecimal seconds = BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
        return duration.abs().compareTo(SECOND) < 0 ? text(seconds.movePointRight(3)) + "ms" : text(seconds) + 's';
    }

    private static String text(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}

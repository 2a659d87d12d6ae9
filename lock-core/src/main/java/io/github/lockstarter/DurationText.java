package io.github.lockstarter;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.function.Supplier;

/** Formats and checks durations: {@code 800ms}, {@code 2s}, {@code 8.1s}, {@code 90s}. For store modules. */
public final class DurationText {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private DurationText() {}

    /**
     * {@return a measured time, from one second rounded to tenths}
     *
     * @param duration any
     */
    public static String of(Duration duration) {
        Duration measured = duration.truncatedTo(ChronoUnit.MILLIS);
        return measured.compareTo(SECOND) < 0 || measured.equals(measured.truncatedTo(ChronoUnit.SECONDS))
                ? exactly(measured)
                : String.format(Locale.ROOT, "%.1fs", seconds(measured));
    }

    /**
     * {@return a configured time or limit, unrounded; whole days as {@code 7d}}
     *
     * @param duration any
     */
    public static String exactly(Duration duration) {
        if (!duration.isZero() && duration.equals(Duration.ofDays(duration.toDays()))) {
            return duration.toDays() + "d";
        }
        BigDecimal seconds = seconds(duration);
        return seconds.abs().compareTo(BigDecimal.ONE) < 0
                ? text(seconds.movePointRight(3)) + "ms"
                : text(seconds) + 's';
    }

    private static BigDecimal seconds(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
    }

    /**
     * Checks a configured time.
     *
     * @param subject what has the time, such as a property
     * @param value time
     * @param least shortest one allowed
     * @param most longest one allowed
     * @throws IllegalArgumentException when it is out of range; names all four
     */
    public static void check(String subject, Duration value, Duration least, Duration most) {
        check(() -> subject, value, least, most, "");
    }

    /**
     * Checks a configured time that may be zero.
     *
     * @param subject what has the time, such as a property
     * @param value time
     * @param least shortest one allowed, other than zero
     * @param most longest one allowed
     * @param zero what zero is good for, such as {@code disable the warning}; empty if it needs no mention
     * @throws IllegalArgumentException when it is out of range; names all five
     */
    public static void check(Supplier<String> subject, Duration value, Duration least, Duration most, String zero) {
        boolean allowed = value.isZero() && !zero.isEmpty();
        if (!allowed && (value.compareTo(least) < 0 || value.compareTo(most) > 0)) {
            throw new IllegalArgumentException(subject.get() + " is " + exactly(value) + "; it must be between "
                    + exactly(least) + " and " + exactly(most) + (zero.isEmpty() ? "" : ", or 0 to " + zero));
        }
    }

    private static String text(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}

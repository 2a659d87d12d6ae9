package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Comparator;
import java.util.Optional;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringValueResolver;

/**
 * How often a method is scheduled, as far as its annotations say.
 *
 * @param annotations those of the method
 * @param placeholders resolves <code>${…}</code>
 */
record SchedulePeriod(MergedAnnotations annotations, StringValueResolver placeholders) {

    /** Enough for an expression of several times a day, or of a part of the hour. */
    private static final int TICKS_LOOKED_AT = 100;

    /** Whether it is scheduled at all. */
    boolean isPresent() {
        return annotations.isPresent(Scheduled.class);
    }

    /**
     * The shortest time between two ticks of one schedule. Empty if there is none, such as with a fixed delay, which
     * counts from the end of a run; what cannot be read is for Spring to refuse.
     */
    Optional<Duration> shortest() {
        return annotations.stream(Scheduled.class)
                .map(MergedAnnotation::synthesize)
                .flatMap(scheduled -> Stream.concat(rate(scheduled).stream(), cron(scheduled).stream()))
                .min(Comparator.naturalOrder());
    }

    private Optional<Duration> rate(Scheduled scheduled) {
        if (scheduled.fixedRate() > 0) {
            return Optional.of(
                    Duration.of(scheduled.fixedRate(), scheduled.timeUnit().toChronoUnit()));
        }
        return resolved(scheduled.fixedRateString()).flatMap(rate -> {
            try {
                Duration inMillis = DurationFormatterUtils.detectAndParse(rate);
                boolean isNumber = rate.chars().allMatch(Character::isDigit);
                return Optional.of(
                        isNumber
                                ? Duration.of(
                                        inMillis.toMillis(),
                                        scheduled.timeUnit().toChronoUnit())
                                : inMillis);
            } catch (IllegalArgumentException | ArithmeticException e) {
                return Optional.empty();
            }
        });
    }

    private Optional<Duration> cron(Scheduled scheduled) {
        return resolved(scheduled.cron())
                .filter(CronExpression::isValidExpression)
                .flatMap(cron -> shortest(CronExpression.parse(cron), zone(scheduled)));
    }

    private ZonedDateTime zone(Scheduled scheduled) {
        return ZonedDateTime.now(resolved(scheduled.zone())
                .map(zone -> TimeZone.getTimeZone(zone).toZoneId())
                .orElseGet(() -> TimeZone.getDefault().toZoneId()));
    }

    private static Optional<Duration> shortest(CronExpression cron, ZonedDateTime now) {
        @Nullable Duration shortest = null;
        ZonedDateTime last = cron.next(now);
        for (int i = 0; i < TICKS_LOOKED_AT && last != null; i++) {
            ZonedDateTime next = cron.next(last);
            if (next != null) {
                Duration between = Duration.between(last, next);
                shortest = shortest == null || between.compareTo(shortest) < 0 ? between : shortest;
            }
            last = next;
        }
        return Optional.ofNullable(shortest);
    }

    private Optional<String> resolved(String text) {
        try {
            return Optional.ofNullable(placeholders.resolveStringValue(text))
                    .map(String::strip)
                    .filter(value -> !value.isEmpty());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}

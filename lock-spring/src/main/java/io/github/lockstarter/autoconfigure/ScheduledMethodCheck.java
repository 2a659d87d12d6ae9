package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.format.annotation.DurationFormat.Unit;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * Whether the lock of a scheduled method makes it run once per tick. Most of what does not may be meant, and causes one
 * warning per method at the start.
 *
 * <p>The mutable field is the set of the methods warned of, written by the threads that create beans.
 */
final class ScheduledMethodCheck {

    private static final Logger log = LoggerFactory.getLogger(ScheduledMethodCheck.class);

    /** Enough for an expression of several times a day, or of a part of the hour. */
    private static final int TICKS_LOOKED_AT = 100;

    private final StringValueResolver placeholders;
    private final Set<Method> warnedOf = ConcurrentHashMap.newKeySet();

    ScheduledMethodCheck(StringValueResolver placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * Looks at a locked method.
     *
     * @param wait how long its calls wait
     * @param atLeast its minimum time, if anything says one
     * @throws IllegalArgumentException when the minimum time has no effect
     */
    void check(Method method, LockRequest request, Duration wait, Optional<Duration> atLeast) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        if (annotations.isPresent(Scheduled.class) && !wait.isZero()) {
            checkEffect(request, wait, atLeast.orElse(Duration.ZERO));
            warn(
                    method,
                    "is @Scheduled and waits up to " + DurationText.exactly(wait) + " for lock '" + request.name()
                            + "': every instance of the application runs it at each tick, one after the other. For one run "
                            + "per tick, annotate it with @ScheduledLock(name = \"" + request.name()
                            + "\", atLeastMs = …) instead");
        } else if (annotations.isPresent(ScheduledLock.class) && atLeast.isEmpty()) {
            warn(
                    method,
                    "is @ScheduledLock(name = \"" + request.name()
                            + "\") without a minimum time: an instance whose clock is behind by more than the method takes "
                            + "runs it again. Set atLeastMs to more than the clocks of the instances differ, or to 0 if "
                            + "the method always takes longer");
        } else if (atLeast.isPresent()) {
            annotations.stream(Scheduled.class)
                    .flatMap(scheduled -> period(scheduled.synthesize()).stream())
                    .min(Comparator.naturalOrder())
                    .filter(period -> period.compareTo(atLeast.get()) <= 0)
                    .ifPresent(period -> warn(
                            method,
                            "runs every " + DurationText.exactly(period) + ", and the minimum time of lock '"
                                    + request.name()
                                    + "' is " + DurationText.exactly(atLeast.get())
                                    + ": no instance runs it at the ticks in between. For a run at each tick, set "
                                    + "atLeastMs to less than the time between two ticks, and more than the clocks of the "
                                    + "instances differ"));
        }
    }

    private static void checkEffect(LockRequest request, Duration wait, Duration atLeast) {
        if (!atLeast.isZero() && wait.compareTo(atLeast) >= 0) {
            throw new IllegalArgumentException("its minimum time of " + DurationText.exactly(atLeast)
                    + " has no effect: the method is @Scheduled and waits up to " + DurationText.exactly(wait)
                    + " for lock '"
                    + request.name()
                    + "', so every instance runs it at each tick, one after the other. For one run per "
                    + "tick, write @ScheduledLock(name = \"" + request.name() + "\", atLeastMs = " + atLeast.toMillis()
                    + "); for one run per instance, leave the minimum time out");
        }
    }

    /**
     * The shortest time between two ticks. Empty if there is none, such as with a fixed delay, which counts from the
     * end of a run, and for a text that Spring refuses.
     */
    private Optional<Duration> period(Scheduled scheduled) {
        try {
            ChronoUnit unit = scheduled.timeUnit().toChronoUnit();
            if (scheduled.fixedRate() > 0) {
                return Optional.of(Duration.of(scheduled.fixedRate(), unit));
            }
            String rate = resolved(scheduled.fixedRateString());
            if (!rate.isEmpty()) {
                return Optional.of(DurationFormatterUtils.detectAndParse(rate, Unit.fromChronoUnit(unit)));
            }
            String cron = resolved(scheduled.cron());
            return CronExpression.isValidExpression(cron) ? period(CronExpression.parse(cron)) : Optional.empty();
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> period(CronExpression cron) {
        List<LocalDateTime> ticks = new ArrayList<>();
        LocalDateTime next = cron.next(LocalDateTime.now(ZoneId.systemDefault()));
        while (next != null && ticks.size() < TICKS_LOOKED_AT) {
            ticks.add(next);
            next = cron.next(next);
        }
        return IntStream.range(1, ticks.size())
                .mapToObj(i -> Duration.between(ticks.get(i - 1), ticks.get(i)))
                .min(Comparator.naturalOrder());
    }

    private String resolved(String text) {
        String value = placeholders.resolveStringValue(text);
        return value == null ? "" : value.strip();
    }

    private void warn(Method method, String what) {
        if (warnedOf.add(method)) {
            log.warn("{}.{}() {}", ClassUtils.getShortName(method.getDeclaringClass()), method.getName(), what);
        }
    }
}

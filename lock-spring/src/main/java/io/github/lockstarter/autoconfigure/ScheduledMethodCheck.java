package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.scheduling.ScheduledLock;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
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
        SchedulePeriod schedule = new SchedulePeriod(annotations, placeholders);
        if (schedule.isPresent() && !wait.isZero()) {
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
            schedule.shortest()
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

    private void warn(Method method, String what) {
        if (warnedOf.add(method)) {
            log.warn("{}.{}() {}", ClassUtils.getShortName(method.getDeclaringClass()), method.getName(), what);
        }
    }
}

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
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/**
 * Whether the lock of a scheduled method makes it run once per tick. Most of what does not may be meant, and causes one
 * warning per method at the start.
 *
 * <p>The mutable field is the set of the methods warned of, written by the threads that create beans.
 */
final class ScheduledMethodCheck {

    private static final Logger log = LoggerFactory.getLogger(ScheduledMethodCheck.class);

    private final Set<Method> warnedOf = ConcurrentHashMap.newKeySet();

    /**
     * Looks at a locked method.
     *
     * @param wait how long its calls wait
     * @param atLeast its minimum time, if anything says one
     */
    void check(Method method, LockRequest request, Duration wait, Optional<Duration> atLeast) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        if (annotations.isPresent(Scheduled.class) && !wait.isZero()) {
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
        }
    }

    private void warn(Method method, String what) {
        if (warnedOf.add(method)) {
            log.warn("{}.{}() {}", ClassUtils.getShortName(method.getDeclaringClass()), method.getName(), what);
        }
    }
}

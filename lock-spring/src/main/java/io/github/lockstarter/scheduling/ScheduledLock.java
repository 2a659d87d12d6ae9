package io.github.lockstarter.scheduling;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a scheduled method once per tick over all instances: in the instance that gets the lock first. The others skip
 * the tick, without an exception.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @ScheduledLock(name = "nightly-report", atLeastMs = 30_000)
 * public void report() { … }
 * }</pre>
 *
 * <p>A {@link DistributedLock} with a wait of zero and {@link IfContended#SKIP}, whose rules for proxies, losses and
 * renewal apply. The method must return nothing, an {@code Optional} or a nullable type, else startup fails. While the
 * lock store is unavailable or recovering, the method does not run, and each tick logs one warning.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitMs = 0, ifContended = IfContended.SKIP)
public @interface ScheduledLock {

    /**
     * The name and key of the lock. It must be the same in all instances and in all versions that run at the same time,
     * so there is no default. May contain placeholders.
     *
     * @return the name, as {@link DistributedLock#name()}; startup fails if it is blank
     */
    @AliasFor(annotation = DistributedLock.class)
    String name();

    /**
     * The {@link io.github.lockstarter.LockOperations} bean to use if there are several.
     *
     * @return the bean name, as {@link DistributedLock#locks()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String locks() default "";

    /**
     * Minimum time in milliseconds from the grant during which no other instance runs the method. Must exceed the clock
     * differences between instances and be shorter than the time between two ticks; use {@code 0} if the method always
     * takes longer than the clocks differ. A missing value is logged as a warning at startup.
     *
     * @return the minimum time, as {@link DistributedLock#atLeastMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long atLeastMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The minimum time as a text, such as {@code "30s"} or <code>"${report.at-least}"</code>.
     *
     * @return the minimum time, as {@link DistributedLock#atLeast()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String atLeast() default "";

    /**
     * Lease in milliseconds: how long no instance runs the method after a crash of the running instance. The method may
     * take longer, since the lease is renewed.
     *
     * @return the lease, as {@link DistributedLock#leaseMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long leaseMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The lease as a text.
     *
     * @return the lease, as {@link DistributedLock#lease()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String lease() default "";

    /**
     * Longest hold in milliseconds. Afterwards the lease is no longer renewed, so another instance runs the method even
     * if this one hangs.
     *
     * @return the longest hold, as {@link DistributedLock#maxHoldMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long maxHoldMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The longest hold as a text.
     *
     * @return the longest hold, as {@link DistributedLock#maxHold()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String maxHold() default "";
}

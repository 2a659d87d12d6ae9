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
 * Runs a scheduled method once per tick, over all instances of the application: in the instance that gets the lock
 * first. The others skip the tick, without an exception.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @ScheduledLock(name = "nightly-report", atLeastMs = 30_000)
 * public void report() { … }
 * }</pre>
 *
 * <p>A {@link DistributedLock} with a wait of zero and {@link IfContended#SKIP}, so all that it says of proxies, loss
 * and renewal holds here, too. The method returns nothing, an {@code Optional}, or what may be null; else the start
 * fails. If the lock store cannot be reached or recovers, the method does not run, and one line at WARN says so for
 * each tick.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitMs = 0, ifContended = IfContended.SKIP)
public @interface ScheduledLock {

    /**
     * The name of the lock, which is also its key: the same in all instances and in all versions of the application
     * that run at the same time. Hence there is no default; a blank one fails the start. Placeholders are resolved.
     *
     * @return the name, as {@link DistributedLock#name()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String name();

    /**
     * The {@link io.github.lockstarter.LockOperations} bean that keeps the lock, where the application has several.
     *
     * @return the name of the bean, as {@link DistributedLock#locks()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String locks() default "";

    /**
     * Minimum time in milliseconds from the grant on, for which no other instance runs the method, however short it is.
     * Longer than the clocks of the instances differ, shorter than the time between two ticks. Without one, an instance
     * whose clock is behind by more than the method takes runs it again: a WARN at the start says so. {@code 0} is for
     * methods that always take longer than that.
     *
     * @return the minimum time, as {@link DistributedLock#atLeastMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long atLeastMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The same as a text, such as {@code "30s"} or <code>"${report.at-least}"</code>.
     *
     * @return the minimum time, as {@link DistributedLock#atLeast()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String atLeast() default "";

    /**
     * Lease in milliseconds: for how long no instance runs the method after the one that runs it has crashed. The
     * method may take longer, since the lease is renewed.
     *
     * @return the lease, as {@link DistributedLock#leaseMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long leaseMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The same as a text.
     *
     * @return the lease, as {@link DistributedLock#lease()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String lease() default "";

    /**
     * Longest hold in milliseconds: when it is over, the lease is renewed no more, so that another instance runs the
     * method although this one hangs.
     *
     * @return the longest hold, as {@link DistributedLock#maxHoldMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long maxHoldMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The same as a text.
     *
     * @return the longest hold, as {@link DistributedLock#maxHold()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String maxHold() default "";
}

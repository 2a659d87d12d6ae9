package io.github.lockstarter.scheduling;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.OnLost;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a scheduled method once per tick over all instances: in the instance that gets the lock first.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @ScheduledLock(name = "nightly-report", minHoldMs = 30_000)
 * public void report() { … }
 * }</pre>
 *
 * <p>A {@link DistributedLock} with a wait of zero and {@link IfContended#SKIP}. While the lock store is unavailable or
 * recovering, the method does not run, and each tick logs one warning.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(maxWaitMs = 0, ifContended = IfContended.SKIP)
public @interface ScheduledLock {

    /**
     * The name and key of the lock, the same in all instances and in all versions that run at the same time. May
     * contain placeholders.
     *
     * @return the name, as {@link DistributedLock#name()}; startup fails if it is blank
     */
    @AliasFor(annotation = DistributedLock.class)
    String name();

    /**
     * The {@code LockOperations} bean.
     *
     * @return the bean name, as {@link DistributedLock#locks()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String locks() default "";

    /**
     * Time in milliseconds from the grant during which no other instance runs the method: more than the clocks of the
     * instances differ, less than the time between two ticks; {@code 0} if the method always takes longer than the
     * clocks differ. A missing value is a warning at startup, and so is one that is not below a {@code fixedRate}.
     *
     * @return as {@link DistributedLock#minHoldMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long minHoldMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The minimum hold as a text, such as {@code "30s"} or <code>"${report.min-hold}"</code>.
     *
     * @return as {@link DistributedLock#minHold()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String minHold() default "";

    /**
     * Whether the minimum hold applies only after success: after a failure, a retry or another instance whose clock is
     * behind runs the method again.
     *
     * @return as {@link DistributedLock#minHoldIf()}
     */
    @AliasFor(annotation = DistributedLock.class)
    MinHoldIf minHoldIf() default MinHoldIf.AS_CONFIGURED;

    /**
     * Time in milliseconds after a crash of the running instance during which no other one runs the method, which may
     * take longer.
     *
     * @return as {@link DistributedLock#leaseMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long leaseMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The lease as a text.
     *
     * @return as {@link DistributedLock#lease()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String lease() default "";

    /**
     * Time in milliseconds after which another instance runs the method even if this one hangs.
     *
     * @return as {@link DistributedLock#maxHoldMs()}
     */
    @AliasFor(annotation = DistributedLock.class)
    long maxHoldMs() default DistributedLock.AS_CONFIGURED;

    /**
     * The maximum hold as a text.
     *
     * @return as {@link DistributedLock#maxHold()}
     */
    @AliasFor(annotation = DistributedLock.class)
    String maxHold() default "";

    /**
     * What happens when the lock is lost while the method runs.
     *
     * @return as {@link DistributedLock#onLost()}
     */
    @AliasFor(annotation = DistributedLock.class)
    OnLost onLost() default OnLost.AS_CONFIGURED;
}

package io.github.lockstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets one caller at a time run a method, across all instances of the application.
 *
 * <pre>{@code
 * @DistributedLock(name = "order", key = "#orderId")
 * public void ship(long orderId) { … }
 * }</pre>
 *
 * <p>The lock is acquired before the method runs and released after it returned or threw; a transaction opened by the
 * same method commits before the release. The lease is renewed while the method runs. The method never runs without the
 * lock.
 *
 * <p>The call throws {@link LockNotAcquiredException} if the lock stays contended for the whole wait, unless {@link
 * #ifContended()} or {@link #fallbackMethod()} is set; {@link LockBackendException} if the store is unavailable; and
 * {@link LockLostException} after the method returned if the lock was lost meanwhile, which rolls back a transaction
 * opened inside the lock.
 *
 * <p>The lock's key is {@link #name()}, followed by {@code ':'} and the value of {@link #key()} if set: the method
 * above and {@code locks.execute("order:42", …)} exclude each other. A nested call for the same key by the same thread
 * enters without a round trip.
 *
 * <p>Works on methods and classes of Spring beans (a class annotation locks each public method except overrides of
 * Object's methods), on interfaces including repositories, and as a meta-annotation. Private, final and static methods
 * and calls through {@code this} cannot be locked; where this is visible, startup fails.
 *
 * <p>If the method returns a {@link java.util.concurrent.CompletableFuture}, {@link
 * java.util.concurrent.CompletionStage} or reactive type, or is a Kotlin suspend function, the lock is acquired without
 * blocking and held until that work ends, for a publisher once per subscription. Startup fails for other results whose
 * work continues, such as a {@link java.util.concurrent.Future} or a stream; a method that declares {@code Object} and
 * returns any of these types throws {@link IllegalStateException}.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

    /**
     * Makes {@link #leaseMs()}, {@link #waitMs()}, {@link #atLeastMs()} and {@link #maxHoldMs()} use the configured
     * value.
     */
    long AS_CONFIGURED = -1;

    /**
     * SpEL expressions for the locked entity, such as {@code "#orderId"} or {@code "#p0.id"} (by parameter name or
     * index). Several expressions lock several keys, all or none, in sorted order so that two such methods cannot
     * deadlock. Without a key, one lock covers every call of the method.
     *
     * <p>Evaluated once, before the method runs. A null or blank value throws {@link IllegalArgumentException}; an
     * unknown {@code #parameter} fails startup. Placeholders become part of the expression, so quote text:
     * <code>"'${shop.tenant}:' + #orderId"</code>.
     *
     * @return the key expressions; default none
     */
    String[] key() default {};

    /**
     * Logical lock name: first part of the lock's key, {@code name} tag of its metrics, and {@code
     * distributed-lock.locks.<name>.*} in the configuration. Letters, digits, {@code .}, {@code _} and {@code -}.
     * Placeholders such as <code>${shop.tenant:main}</code>, here and in the keys, the bean's name and durations, are
     * resolved at startup, which fails if one has no value.
     *
     * @return the name; default {@code SimpleClass.method} of the annotated method
     */
    String name() default "";

    /**
     * Name of the {@link LockOperations} bean to use if there are several, such as {@code zookeeperLocks} for {@code
     * distributed-lock.further-backends=zookeeper}. Equal keys in different stores are different locks, so all users of
     * a name must choose the same bean. Startup fails if it does not exist.
     *
     * @return the bean's name; default the bean injected by type
     */
    String locks() default "";

    /**
     * Lease in milliseconds: how long the lock stays held while its holder is paused, and the upper
     * limit after a crash. With renewal (the default) the method may run longer than its lease.
     *
     * @return the lease; default {@code distributed-lock.locks.<name>.lease}, else {@code distributed-lock.lease} (30
     *     s)
     */
    long leaseMs() default AS_CONFIGURED;

    /**
     * The lease as text, such as {@code "30s"}, {@code "PT30S"} or <code>"${orders.lease}"</code>; a plain number means
     * milliseconds, a blank value "as configured". Startup fails if {@link #leaseMs()} is set as well.
     *
     * @return the lease; default none
     */
    String lease() default "";

    /**
     * Longest time in milliseconds that a call waits for the lock; {@code 0} makes one attempt.
     *
     * @return the wait; default {@code distributed-lock.locks.<name>.wait}, else {@code distributed-lock.wait} (5 s)
     */
    long waitMs() default AS_CONFIGURED;

    /**
     * The wait as text, see {@link #lease()}; not together with {@link #waitMs()}.
     *
     * @return the wait; default none
     */
    String maxWait() default "";

    /**
     * Minimum time in milliseconds from the grant during which no other caller gets the lock; see {@link
     * LockRequest#keptFor}. Startup fails if it exceeds the lease.
     *
     * @return the minimum time; default {@code distributed-lock.locks.<name>.at-least}, else none
     */
    long atLeastMs() default AS_CONFIGURED;

    /**
     * The minimum time as text, see {@link #lease()}; not together with {@link #atLeastMs()}.
     *
     * @return the minimum time; default none
     */
    String atLeast() default "";

    /**
     * Longest hold in milliseconds from the grant, after which the lease is no longer renewed; see {@link
     * LockRequest#renewedUpTo}. Startup fails if it is below the lease, or together with {@link Renewal#OFF}.
     *
     * @return the longest hold; default {@code distributed-lock.watchdog.max-hold} (none)
     */
    long maxHoldMs() default AS_CONFIGURED;

    /**
     * The longest hold as text, see {@link #lease()}; not together with {@link #maxHoldMs()}.
     *
     * @return the longest hold; default none
     */
    String maxHold() default "";

    /**
     * Maximum number of simultaneous holders over all instances, see {@link LockRequest#permits}. Above 1 only with a
     * single key; ZooKeeper and Redlock support only 1. Otherwise startup fails.
     *
     * @return up to {@value LockRequest#MOST_PERMITS}; default {@code distributed-lock.locks.<name>.permits}, else 1
     */
    int permits() default 0;

    /**
     * Whether the watchdog renews the lease while the method runs.
     *
     * @return the renewal; default {@code distributed-lock.watchdog.enabled} (on)
     */
    Renewal renewal() default Renewal.AS_CONFIGURED;

    /**
     * Outcome when another owner held the lock for the whole wait. With {@link IfContended#SKIP} the method must return
     * void, an {@code Optional}, a nullable type, a stage, or a publisher that may be empty; otherwise startup fails.
     *
     * @return the outcome; {@link IfContended#SKIP} not together with {@link #fallbackMethod()}
     */
    IfContended ifContended() default IfContended.THROW;

    /**
     * Name of a method of the same bean that is called, without the lock, when another owner held the lock for the
     * whole wait. It takes the parameters of this method, optionally followed by an exception, and returns the same
     * type. A {@link LockBackendException} reaches it only if its last parameter accepts one, such as {@link
     * LockException}; other exceptions never do. Startup fails unless exactly one method of that name fits.
     *
     * <pre>{@code
     * @DistributedLock(name = "order", key = "#orderId", fallbackMethod = "busy")
     * public Receipt ship(long orderId) { … }
     *
     * private Receipt busy(long orderId, LockNotAcquiredException contention) { … }
     * }</pre>
     *
     * @return the name; default none
     */
    String fallbackMethod() default "";

    /**
     * Behaviour inside a caller's transaction, which commits after the method has returned.
     *
     * @return the behaviour; default {@code distributed-lock.in-transaction} ({@link InTransaction#WARN})
     */
    InTransaction inTransaction() default InTransaction.AS_CONFIGURED;
}

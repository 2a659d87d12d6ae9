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
 * <p>The lock is acquired before the method runs, renewed while it runs, and released after it returned or threw; a
 * transaction opened by the same method commits before the release. The method never runs without the lock.
 *
 * <p>The call throws {@link LockNotAcquiredException} if the lock stays contended for the whole wait, unless {@link
 * #ifContended()} or {@link #fallbackMethod()} is set; {@link LockBackendException} if the store is unavailable; and
 * {@link LockLostException} after the method returned if the lock was lost meanwhile, see {@link #onLost()}.
 *
 * <p>The lock's key is {@link #name()}, followed by {@code ':'} and the value of {@link #key()} if set: the method
 * above and {@code locks.execute("order:42", …)} exclude each other.
 *
 * <p>Works on methods and classes of Spring beans (a class annotation locks each method that is neither private nor an
 * override of a method of Object), on interfaces, and as a meta-annotation. Private, final and static methods and calls
 * through {@code this} cannot be locked; where this is visible, startup fails.
 *
 * <p>If the method returns a {@link java.util.concurrent.CompletableFuture}, {@link
 * java.util.concurrent.CompletionStage} or reactive type, or is a Kotlin suspend function, the lock is acquired without
 * blocking and held until that work ends. Startup fails for other results whose work continues, such as a {@link
 * java.util.concurrent.Future} or a stream.
 *
 * <p>Times are milliseconds, or text such as {@code "30s"}, {@code "PT30S"} or <code>"${orders.lease}"</code>; blank
 * text means "as configured". Startup fails if both forms of a time are set.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

    /** Makes a time in milliseconds use the configured value. */
    long AS_CONFIGURED = Long.MIN_VALUE;

    /**
     * SpEL expressions for the locked entity, such as {@code "#orderId"} or {@code "#p0.id"}, evaluated once, before
     * the method runs. Several expressions lock several keys, all or none. Without a key, one lock covers every call of
     * the method.
     *
     * <p>A list, such as {@code "#orderIds"} or {@code "#orders.![id]"}, locks each element: a {@link
     * java.util.Collection}, or an array except of bytes or characters. At most {@value LockRequest#MAX_KEYS} elements.
     *
     * <p>A null or blank value or element throws {@link IllegalArgumentException}; an unknown {@code #parameter} fails
     * startup. Placeholders become part of the expression, so quote text: <code>"'${shop.tenant}:' + #orderId"</code>.
     *
     * @return the key expressions; default none
     */
    String[] key() default {};

    /**
     * Outcome of a call with an empty list of keys. Startup fails if it is set without a {@link #key()}.
     *
     * @return the outcome
     */
    EmptyKeys emptyKeys() default EmptyKeys.REFUSE;

    /**
     * Logical lock name: first part of the lock's key, {@code name} tag of its metrics, and {@code
     * distributed-lock.locks.<name>.*} in the configuration. Letters, digits, {@code .}, {@code _} and {@code -}.
     * Placeholders such as <code>${shop.tenant:main}</code>, in all text of this annotation, are resolved at startup,
     * which fails if one has no value.
     *
     * @return the name; default {@code SimpleClass.method} of the annotated method
     */
    String name() default "";

    /**
     * Name of the {@link LockOperations} bean, such as {@code zookeeperLocks} for {@code
     * distributed-lock.further-backends=zookeeper}. All users of a name must choose the same bean, since equal keys in
     * different stores are different locks. Startup fails if it does not exist.
     *
     * @return the bean's name; default the bean injected by type
     */
    String locks() default "";

    /**
     * How long the lock stays held while its holder is paused, and at most after a crash. With renewal (the default)
     * the method may run longer.
     *
     * @return the lease; default {@code distributed-lock.locks.<name>.lease}, else {@code distributed-lock.lease} (30
     *     s)
     */
    long leaseMs() default AS_CONFIGURED;

    /** {@return {@link #leaseMs()} as text; default none} */
    String lease() default "";

    /**
     * Longest wait for the lock; {@code 0} makes one attempt.
     *
     * @return the wait; default {@code distributed-lock.locks.<name>.max-wait}, else {@code distributed-lock.max-wait}
     *     (5 s)
     */
    long maxWaitMs() default AS_CONFIGURED;

    /** {@return {@link #maxWaitMs()} as text; default none} */
    String maxWait() default "";

    /**
     * Minimum time from the grant during which no other caller gets the lock, see {@link LockRequest#minHold}. Startup
     * fails if it exceeds the lease.
     *
     * @return the minimum hold; default {@code distributed-lock.locks.<name>.min-hold}, else none
     */
    long minHoldMs() default AS_CONFIGURED;

    /** {@return {@link #minHoldMs()} as text; default none} */
    String minHold() default "";

    /**
     * Whether the minimum hold applies only after success, so that a failed call can be repeated at once. Startup fails
     * without a minimum hold.
     *
     * @return {@link MinHoldIf#SUCCESS} for that; default {@code distributed-lock.locks.<name>.min-hold-if}, else
     *     {@link MinHoldIf#ALWAYS}
     */
    MinHoldIf minHoldIf() default MinHoldIf.AS_CONFIGURED;

    /**
     * Maximum hold from the grant, see {@link LockRequest#maxHold}. Startup fails if it is below the lease, or
     * together with {@link Renewal#OFF}.
     *
     * @return the maximum hold; default {@code distributed-lock.locks.<name>.max-hold}, else {@code
     *     distributed-lock.max-hold} (none)
     */
    long maxHoldMs() default AS_CONFIGURED;

    /** {@return {@link #maxHoldMs()} as text; default none} */
    String maxHold() default "";

    /**
     * Maximum number of simultaneous holders over all instances, see {@link LockRequest#permits}. Startup fails if it
     * is above 1 with several keys or a list, ZooKeeper or Redlock.
     *
     * @return up to {@value LockRequest#MAX_PERMITS}; default {@code distributed-lock.locks.<name>.permits}, else 1
     */
    int permits() default 0;

    /**
     * What the lock excludes. Methods with {@link LockMode#READ} run at the same time as others of the same key, in
     * all instances, but not beside one that writes, which is the default. Startup fails together with permits or a
     * minimum hold, or if the store has no locks for readers.
     *
     * @return {@link LockMode#READ} to exclude only callers that write
     */
    LockMode mode() default LockMode.WRITE;

    /**
     * Whether the watchdog renews the lease.
     *
     * @return {@link Renewal#OFF} to let the lock end with its lease; default {@code
     *     distributed-lock.locks.<name>.renewal}, else {@code distributed-lock.renewal} (on)
     */
    Renewal renewal() default Renewal.AS_CONFIGURED;

    /**
     * What happens when the lock is lost while the method runs. A nested call for a key that its thread holds has the
     * value of the outermost; of several keys, the strictest applies.
     *
     * @return such as {@link OnLost#INTERRUPT}; default {@code distributed-lock.locks.<name>.on-lost}, else {@code
     *     distributed-lock.on-lost} ({@link OnLost#THROW})
     */
    OnLost onLost() default OnLost.AS_CONFIGURED;

    /**
     * Outcome when another owner held the lock for the whole wait. {@link IfContended#SKIP} needs a method that returns
     * void, an {@code Optional}, a nullable type, a stage, or a publisher that may be empty, without a {@link
     * #fallbackMethod()}; otherwise startup fails.
     *
     * @return the outcome
     */
    IfContended ifContended() default IfContended.THROW;

    /**
     * Name of a method of the same bean that is called, without the lock, when another owner held the lock for the
     * whole wait. It has the parameters of this method, optionally an exception as last one, and the same return type.
     * It receives a {@link LockBackendException} only if its last parameter accepts one, such as {@link LockException},
     * and no others. Startup fails unless exactly one method of that name fits.
     *
     * @return the name; default none
     */
    String fallbackMethod() default "";

    /**
     * {@return the behaviour inside a caller's transaction; default {@code distributed-lock.in-transaction} ({@link
     * InTransaction#WARN})}
     */
    InTransaction inTransaction() default InTransaction.AS_CONFIGURED;
}

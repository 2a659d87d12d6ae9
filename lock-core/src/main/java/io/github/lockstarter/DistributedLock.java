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
 * same method is committed before the release. While the method runs, the lease is renewed. The method never runs
 * without the lock: if it stays contended for the whole wait, the call fails with {@link LockNotAcquiredException},
 * unless {@link #ifContended()} or {@link #fallbackMethod()} say otherwise; if the backend is unavailable, with {@link
 * LockBackendException}, such as {@link LockStoreRecoveringException} while the store may have forgotten locks; when
 * the lock was lost while the method ran, {@link LockLostException} after it (and a transaction opened inside the lock
 * is rolled back).
 *
 * <p>The lock's key is {@link #name()}, followed by {@code ':'} and the value of {@link #key()} where there is one.
 * {@code @DistributedLock(name = "order", key = "#orderId")} therefore excludes
 * {@code locks.execute("order:42", …)}.
 *
 * <p>Works on methods and classes of Spring beans (a class annotation locks each public method, except what overrides a
 * method of Object), on interfaces, those of repositories included, and as a meta-annotation. A nested call for the
 * same key by the same thread enters without a round trip. What cannot be proxied (private, final or static methods,
 * calls through {@code this}) cannot be locked; where that is visible at start-up, the application does not start.
 *
 * <p>A method may return before its work ends, as a {@link java.util.concurrent.CompletableFuture}, a {@link
 * java.util.concurrent.CompletionStage} or a reactive type, or be a suspend function of Kotlin: then the lock is
 * acquired without blocking a thread, and held until that work ends; of a publisher, for each subscription. The start
 * fails for other results whose work goes on, such as a {@link java.util.concurrent.Future} or a stream; a method that
 * declares {@code Object} and returns one of all these throws {@link IllegalStateException}.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

    /**
     * Value of {@link #leaseMs()}, {@link #waitMs()}, {@link #atLeastMs()} and {@link #maxHoldMs()} that stands for "as
     * configured".
     */
    long AS_CONFIGURED = -1;

    /**
     * SpEL expressions for what is locked, such as {@code "#orderId"} or {@code "#order.id"}; parameters are also
     * reachable as {@code #p0}, {@code #p1}. Several expressions make one all-or-nothing lock over several keys, taken
     * in sorted order so that two such methods cannot deadlock. Without any, one lock covers every call of the method.
     *
     * <p>Evaluated once, before the method runs. A null or blank value is an {@link IllegalArgumentException}; an
     * unknown {@code #parameter} fails the start of the application. A placeholder, such as
     * <code>"'${shop.tenant}:' + #orderId"</code>, is resolved at the start and becomes a part of the expression: write
     * a text in quotes, as here.
     *
     * @return the key expressions; default none
     */
    String[] key() default {};

    /**
     * The logical lock name: first part of the lock's key, {@code name} tag of its metrics and {@code
     * distributed-lock.locks.<name>.*} in the configuration. Letters, digits, {@code .}, {@code _} and {@code -}.
     * Placeholders such as <code>${shop.tenant:main}</code> are resolved at the start; one without a value fails it.
     *
     * @return the name; default {@code SimpleClass.method} of the annotated method
     */
    String name() default "";

    /**
     * The {@link LockOperations} bean that keeps the lock, where the application has several: a key in another store is
     * another lock, so all users of a name choose the same one. {@code distributed-lock.further-backends=zookeeper}
     * gives the bean {@code zookeeperLocks}. Placeholders are resolved at the start; a bean that is not there fails it.
     *
     * @return the name of the bean; default the one that is injected by type
     */
    String locks() default "";

    /**
     * Lease in milliseconds: how long the lock outlives a holder that is paused or cut off, and at most a crashed one.
     * With renewal (the default) the method may run longer than its lease.
     *
     * @return the lease; default {@code distributed-lock.locks.<name>.lease}, else {@code distributed-lock.lease}
     *     (30 s)
     */
    long leaseMs() default AS_CONFIGURED;

    /**
     * The lease as a text, such as {@code "30s"}, {@code "PT30S"} or <code>"${orders.lease}"</code>; a number alone
     * stands for milliseconds. Placeholders are resolved at the start; one without a value fails it, and a blank value
     * stands for "as configured". Together with {@link #leaseMs()}, it fails the start.
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
     * The wait as a text, as {@link #lease()}.
     *
     * @return the wait; default none, not together with {@link #waitMs()}
     */
    String maxWait() default "";

    /**
     * Minimum time in milliseconds from the grant on, for which no other caller gets the lock: a method that returns
     * sooner leaves the lock kept for the rest, by the clock of the lock store. For scheduled methods: the instances of
     * an application run a tick once, however short it is and however their clocks differ, if this is longer than their
     * clocks differ and shorter than the period. As {@link LockRequest#keptFor}.
     *
     * <p>At most the lease; otherwise the application does not start.
     *
     * @return the minimum time; default {@code distributed-lock.locks.<name>.at-least}, else none
     */
    long atLeastMs() default AS_CONFIGURED;

    /**
     * The minimum time as a text, as {@link #lease()}.
     *
     * @return the minimum time; default none, not together with {@link #atLeastMs()}
     */
    String atLeast() default "";

    /**
     * Longest hold in milliseconds from the grant on: when it is over, the lease is renewed no more, and the lock is
     * lost with the end of the last one. As {@link LockRequest#renewedUpTo}. Below the lease, or together with {@link
     * Renewal#OFF}, it fails the start.
     *
     * @return the longest hold; default {@code distributed-lock.watchdog.max-hold} (none)
     */
    long maxHoldMs() default AS_CONFIGURED;

    /**
     * The longest hold as a text, as {@link #lease()}.
     *
     * @return the longest hold; default none, not together with {@link #maxHoldMs()}
     */
    String maxHold() default "";

    /**
     * How many calls have the lock at a time, over all instances: 1 for a lock, more for a limit of concurrency. Each
     * call has a slot of its own. As {@link LockRequest#permits}; not with several keys. ZooKeeper and Redlock keep
     * only locks with one permit; there, more fail the start.
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
     * What a call does when another owner held the lock for the whole wait. With {@link IfContended#SKIP} the method
     * must return nothing, an {@code Optional}, what may be null, a stage, or a publisher that may be empty; else the
     * start fails.
     *
     * @return the outcome; {@link IfContended#SKIP} not together with {@link #fallbackMethod()}
     */
    IfContended ifContended() default IfContended.THROW;

    /**
     * Name of a method of the same bean that is called, without the lock, when another owner held the lock for the
     * whole wait. It has the parameters and the result of this method, and may take an exception as a last parameter.
     * {@link LockBackendException} reaches it only if it takes one, such as {@link LockException}; all other exceptions
     * never reach it. It has no fallback itself. The start fails unless exactly one method of that name fits.
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
     * What a call does inside a transaction of its caller, which commits after the method has returned.
     *
     * @return the behaviour; default {@code distributed-lock.in-transaction} ({@link InTransaction#WARN})
     */
    InTransaction inTransaction() default InTransaction.AS_CONFIGURED;
}

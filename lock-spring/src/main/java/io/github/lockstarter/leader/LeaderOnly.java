package io.github.lockstarter.leader;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method on the leader of a role only. On all other instances, and while it is in doubt whether this instance
 * still leads, the call returns without having run the method.
 *
 * <pre>{@code
 * @Scheduled(fixedDelay = 5_000)
 * @LeaderOnly("billing")
 * public void collect() { … }
 * }</pre>
 *
 * <p>The method runs under the leader's lock, which {@link io.github.lockstarter.LockHandle#current()} returns, and the
 * lock is not released before the method has ended, however the leadership ends; only a loss of the lock comes sooner.
 * A call costs no command to the store. The annotation is a {@link DistributedLock} with {@link IfContended#SKIP}: all
 * that it says of proxies, of asynchronous methods and of a loss holds here, too. The method returns nothing, an
 * {@code Optional}, or what may be null; else the start fails. An annotated method of a singleton makes this instance
 * compete for the role, once the application is ready.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitMs = 0, ifContended = IfContended.SKIP, locks = LeaderLocks.BEAN)
public @interface LeaderOnly {

    /**
     * The role: letters, digits, '.', '_' and '-', the same in all instances. Placeholders are resolved.
     *
     * @return the role; a blank one fails the start
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String value();
}

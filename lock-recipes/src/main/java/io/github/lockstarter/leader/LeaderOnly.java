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
 * Runs a method only on the leader of a role. On other instances, and while the leadership is in doubt, the call
 * returns without running it.
 *
 * <pre>{@code
 * @Scheduled(fixedDelay = 5_000)
 * @LeaderOnly("billing")
 * public void collect() { … }
 * }</pre>
 *
 * <p>The method runs under the leader's lock, which is released only after the method unless it is lost. A call sends
 * no command. The rules of {@link DistributedLock} with {@link IfContended#SKIP} apply. A singleton with an annotated
 * method makes this instance compete for the role.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(maxWaitMs = 0, ifContended = IfContended.SKIP, locks = LeaderLocks.BEAN)
public @interface LeaderOnly {

    /**
     * The role: letters, digits, '.', '_' and '-', or placeholders; the same in all instances.
     *
     * @return the role; startup fails if it is blank
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String value();
}

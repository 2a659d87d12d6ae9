package io.github.lockstarter.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if a store is selected, unless locks are disabled or a parent context has them. For the auto-configuration of
 * a store:
 *
 * <pre>{@code
 * @Bean
 * @ConditionalOnLockBackend("acme")
 * @ConditionalOnMissingLockBackend
 * AcmeLockBackend distributedLockAcmeBackend(LockSettings locks, AcmeLockProperties acme) { … }
 * }</pre>
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
@Conditional(OnLockBackend.class)
public @interface ConditionalOnLockBackend {

    /** {@return the name of the store's {@link LockBackendOption}} */
    String value();
}

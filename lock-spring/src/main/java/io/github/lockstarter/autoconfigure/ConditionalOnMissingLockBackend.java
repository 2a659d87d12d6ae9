package io.github.lockstarter.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches unless the application declares a {@link io.github.lockstarter.spi.LockBackend}. Beans of stores, which have
 * this annotation, do not count.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(LockConditions.NoApplicationBackend.class)
public @interface ConditionalOnMissingLockBackend {}

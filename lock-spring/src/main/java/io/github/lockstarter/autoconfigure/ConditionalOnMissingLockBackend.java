package io.github.lockstarter.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches unless the application declares a {@link io.github.lockstarter.spi.LockBackend} of its own. A backend whose
 * bean method has this annotation is that of a store and does not count: an application may keep some locks in one
 * store and some in another.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(LockConditions.NoOwnBackend.class)
public @interface ConditionalOnMissingLockBackend {}

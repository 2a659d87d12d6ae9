package io.github.lockstarter.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches unless a parent context has an engine: its child uses the locks of that one, and neither configures nor stops
 * them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(LockConditions.OwnLocks.class)
@interface ConditionalOnOwnLocks {}

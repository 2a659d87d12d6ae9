package io.github.lockstarter.aop;

import org.aopalliance.intercept.MethodInterceptor;

/** Marks the advice of locks among the advices of a bean. */
interface LockAdvice extends MethodInterceptor {}

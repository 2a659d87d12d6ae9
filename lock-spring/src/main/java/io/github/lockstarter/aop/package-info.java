/**
 * The {@link io.github.lockstarter.DistributedLock} annotation on Spring beans: locked methods, their keys and startup
 * checks. Depends on the API only.
 */
@NullMarked
package io.github.lockstarter.aop;

import org.jspecify.annotations.NullMarked;

/**
 * The {@link io.github.lockstarter.DistributedLock} annotation on Spring beans: which methods it locks, what their keys
 * are, and what cannot be locked. Knows the API only.
 */
@NullMarked
package io.github.lockstarter.aop;

import org.jspecify.annotations.NullMarked;

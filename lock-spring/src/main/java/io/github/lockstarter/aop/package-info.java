/** The {@link io.github.lockstarter.DistributedLock} annotation on Spring beans. */
@NullMarked
package io.github.lockstarter.aop;

import org.jspecify.annotations.NullMarked;

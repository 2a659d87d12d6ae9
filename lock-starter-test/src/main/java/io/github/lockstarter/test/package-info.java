/**
 * Locks for tests: {@link io.github.lockstarter.test.AutoConfigureTestLocks} with a Spring context, {@link
 * io.github.lockstarter.test.InJvmLocks} without one.
 */
@NullMarked
package io.github.lockstarter.test;

import org.jspecify.annotations.NullMarked;

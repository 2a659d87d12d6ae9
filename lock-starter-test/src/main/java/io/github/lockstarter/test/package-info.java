/**
 * Locks for the tests of an application: {@link io.github.lockstarter.test.AutoConfigureTestLocks} for tests with a
 * Spring context, {@link io.github.lockstarter.test.InJvmLocks} for tests without one.
 */
@NullMarked
package io.github.lockstarter.test;

import org.jspecify.annotations.NullMarked;

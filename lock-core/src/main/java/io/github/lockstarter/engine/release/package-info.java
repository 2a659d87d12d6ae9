/**
 * Gives up what is held: to the next waiter of this instance, or to the lock store.
 */
@NullMarked
package io.github.lockstarter.engine.release;

import org.jspecify.annotations.NullMarked;

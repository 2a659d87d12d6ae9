/**
 * Waiting, reentrancy, renewal and loss of locks, over any {@link io.github.lockstarter.spi.LockBackend}. Knows neither
 * Spring nor a store.
 */
@NullMarked
package io.github.lockstarter.engine;

import org.jspecify.annotations.NullMarked;

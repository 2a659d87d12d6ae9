/**
 * The engine: grants locks that a {@link io.github.lockstarter.spi.LockBackend} keeps.
 *
 * <ol>
 *   <li>{@link io.github.lockstarter.engine.LockEngine} is the entry; {@code Running} is one run of it, between start
 *       and stop.
 *   <li>{@code Acquisitions} is the caller's side: it enters a hold of the same thread again, or waits for the outcome
 *       of a {@code Waiter} and takes the hold.
 *   <li>{@code KeyLock} decides all that concerns one key, under one monitor, and returns {@code Effects}, which
 *       {@code Running} carries out: {@code StoreCalls} calls the store, listeners get events, futures are completed.
 *   <li>{@code Watchdog} is the timer's thread: it looks at each {@code KeyLock} when its time has come, and renews.
 * </ol>
 *
 * <p>From outside, {@code LockEngine} with {@code settings} is used; tests that control the time give it another
 * {@code EngineEnvironment}.
 */
@NullMarked
package io.github.lockstarter.engine;

import org.jspecify.annotations.NullMarked;

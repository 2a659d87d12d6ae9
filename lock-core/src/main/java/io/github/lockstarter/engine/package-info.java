/**
 * The engine: grants locks that a {@link io.github.lockstarter.spi.LockBackend} keeps.
 *
 * <ol>
 *   <li>{@link io.github.lockstarter.engine.LockEngine} is the entry; {@code Running} is one run of it, from start to
 *       stop.
 *   <li>{@code Acquisitions} is the caller's side; a {@code Waiter} is a caller of one key.
 *   <li>{@code KeyLock} decides everything about one key under one monitor: the callers that wait in itself, the holds
 *       in its {@code HeldSlots}. It adds steps to {@code Effects}, which {@code Running} executes: {@code StoreCalls}
 *       calls the store, listeners receive events, futures complete.
 *   <li>{@code Grant} is the store's answer to an attempt, {@code Hold} one owner's part of it, {@code Handle} one
 *       entry into a hold.
 *   <li>{@code TimerThread} fires each {@code KeyLock} when due; {@code Watchdog} then renews its holds.
 *   <li>{@code Heartbeat} proves that the store answers; otherwise the {@code Grant} is in doubt, since the lock may be
 *       taken over, and an owner waits in a {@code Settlement}.
 * </ol>
 *
 * <p><b>Direction.</b> {@code LockEngine} uses the caller's side ({@code Acquisitions}, {@code CompositeHandle},
 * {@code Handle}, {@code Settlement}, {@code Messages}), which uses the run ({@code Running}, {@code Watchdog}, {@code
 * KeyLock}, {@code HeldSlots}), which uses data ({@code Waiter}, {@code Attempt}, {@code Grant}, {@code Hold}, {@code
 * Entry}, {@code RenewAttempt}, {@code WaitOutcome}, {@code Obstacle}). Nothing points back to the caller's side. From
 * the data, these references point back to the run:
 *
 * <ul>
 *   <li>{@code Waiter} and {@code Hold} have their {@code KeyLock}: callers and handles reach it through them, even if
 *       it has failed and another object serves the key.
 *   <li>{@code Attempt} and {@code RenewAttempt} pass the answers to their commands to {@code Running}: a separate
 *       object for that would be one more per command.
 * </ul>
 *
 * <p>{@code KeyLock} and {@code HeldSlots} know each other, as two machines under one monitor, and {@code Running},
 * which executes what they decide and has what all keys share.
 *
 * <p>Other packages use {@code LockEngine} with {@code settings}; tests that control the time provide an
 * {@code EngineEnvironment}.
 */
@NullMarked
package io.github.lockstarter.engine;

import org.jspecify.annotations.NullMarked;

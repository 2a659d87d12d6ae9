package io.github.lockstarter.engine;

import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What a {@link HoldHandle} asks of the engine. Called by the application's threads. */
abstract class HoldOperations {

    /**
     * Whether a thread could not complete an acquisition or a release for want of stack or memory, after it marked the
     * acquisition or the handle. A field, since such a thread cannot call a method any more.
     */
    volatile boolean hasUnfinished;

    /** Throws {@link IllegalArgumentException} if the lease is out of range. */
    abstract void checkLease(String key, Duration lease);

    /** Ends the hold if its lease is over. Returns whether it is still held. */
    abstract boolean checkHeld(Hold hold);

    /** Tells the listeners that the hold is lost, unless they were told. */
    abstract void reportLoss(Hold hold);

    /** Asks for more time, at once. */
    abstract CompletableFuture<RenewResult> extend(Hold hold, Duration lease);

    /** Ends the handle's entry; with the last one, the lock is handed over or released. */
    abstract CompletableFuture<ReleaseOutcome> leave(HoldHandle handle);

    /** Runs callbacks on threads that may block. */
    abstract EventDispatcher events();
}

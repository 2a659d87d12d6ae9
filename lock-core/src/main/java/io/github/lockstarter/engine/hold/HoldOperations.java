package io.github.lockstarter.engine.hold;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.spi.RenewResult;
import java.util.concurrent.CompletableFuture;

/** What a {@link HoldHandle} asks of the engine. Called by the application's threads. */
public abstract class HoldOperations {

    /**
     * Whether a thread could not complete an acquisition or a release for want of stack or memory, after it marked the
     * acquisition or the handle. A field, since such a thread cannot call a method any more.
     */
    public volatile boolean hasUnfinished;

    /** Throws {@link IllegalArgumentException} if the owner of the hold asks for what it cannot get. */
    public abstract void checkExtension(Hold hold, LockRequest terms);

    /** What a request asks for. Throws {@link IllegalArgumentException} if it asks for what it cannot get. */
    public abstract ResolvedRequest resolve(LockRequest request);

    /** Ends the hold if its lease is over. Returns whether it is still held. */
    public abstract boolean checkHeld(Hold hold);

    /**
     * As {@link #checkHeld}; and if the hold is in doubt, asks the store until it is certain or lost, its lease is
     * over, or a command timeout is.
     *
     * @param hold which one
     * @return completed with whether it is still held, on any thread, and always normally
     */
    public abstract CompletableFuture<Boolean> settle(Hold hold);

    /**
     * The same, and blocks.
     *
     * @param hold which one
     * @throws LockInterruptedException when the thread is interrupted meanwhile; the flag is set again
     */
    public abstract boolean settleDoubt(Hold hold);

    /** Reports the loss of the hold to the listeners, once. */
    public abstract void reportLoss(Hold hold);

    /** Asks for the lease of the terms, else its own, at once, and continues the hold on them if the answer is yes. */
    public abstract CompletableFuture<RenewResult> extend(Hold hold, LockRequest terms);

    /** Ends the handle's entry; with the last one, the lock is handed over or released. */
    public abstract CompletableFuture<ReleaseOutcome> leave(HoldHandle handle);

    /** What the engine holds, over its restarts. */
    public abstract HeldLocks heldLocks();

    /** Runs callbacks on threads that may block. */
    public abstract EventDispatcher events();
}

package io.github.lockstarter.engine;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** One entry into a {@link Hold}: its own release, the hold's everything else. {@link #left} turns true once. */
final class HoldHandle implements EngineHandle {

    private final Hold hold;
    private final Session session;
    private static final AtomicIntegerFieldUpdater<HoldHandle> LEFT =
            AtomicIntegerFieldUpdater.newUpdater(HoldHandle.class, "left");

    /** 1 once released; changed by its updater. */
    private volatile int left;

    HoldHandle(Hold hold, Session session) {
        this.hold = hold;
        this.session = session;
    }

    @Override
    public String key() {
        return hold.key;
    }

    @Override
    public long fencingToken() {
        return hold.fencingToken;
    }

    @Override
    public Duration remainingLease() {
        return isHeld() ? hold.remainingLease() : Duration.ZERO;
    }

    @Override
    public boolean isHeld() {
        return !hasLeft() && session.losses().isHeld(hold);
    }

    @Override
    public void ensureHeld() {
        if (!isHeld()) {
            throw hasLeft() ? Messages.released(hold) : Messages.lost(hold);
        }
    }

    @Override
    public void extend(Duration lease) {
        session.checkLease(hold.key, lease);
        ensureHeld();
        RenewResult result = answerTo(session.watchdog().extend(hold, lease));
        if (result instanceof RenewResult.Unknown unknown) {
            throw new LockBackendException(
                    hold.key,
                    "Could not extend lock '" + hold.key + "'; its lease is at least what it was: " + unknown.reason(),
                    unknown.cause());
        }
        if (result instanceof RenewResult.Deferred deferred) {
            throw Messages.recovering(hold, deferred);
        }
        ensureHeld();
    }

    private RenewResult answerTo(CompletableFuture<RenewResult> extension) {
        try {
            return BlockingWait.await(extension);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    hold.key,
                    "Interrupted while extending lock '" + hold.key
                            + "'; its lease is at least what it was, and perhaps longer",
                    e);
        }
    }

    @Override
    public void onLost(Runnable callback) {
        hold.onLost(this, callback, session.events());
    }

    boolean hasLeft() {
        return left == 1;
    }

    @Override
    public ReleaseOutcome release() {
        return BlockingWait.awaitUninterruptibly(releaseAsync());
    }

    @Override
    public CompletableFuture<ReleaseOutcome> releaseAsync() {
        if (!LEFT.compareAndSet(this, 0, 1)) {
            return CompletableFuture.completedFuture(ReleaseOutcome.ALREADY_RELEASED);
        }
        hold.forgetCallbacksOf(this);
        return session.exits().exit(hold);
    }

    @Override
    public void close() {
        if (release() == ReleaseOutcome.LOST) {
            throw Messages.lost(hold);
        }
    }

    @Override
    public String toString() {
        return "LockHandle[" + hold.key + ", fencing token " + hold.fencingToken + ']';
    }
}

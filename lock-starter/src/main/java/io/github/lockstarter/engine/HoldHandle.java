package io.github.lockstarter.engine;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** One entry into a {@link Hold}: its own release, the hold's everything else. {@link #left} turns true once. */
final class HoldHandle implements EngineHandle {

    private final Hold hold;
    private final Session session;
    private final AtomicBoolean left = new AtomicBoolean();

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
        return !left.get() && session.losses().isHeld(hold);
    }

    @Override
    public void ensureHeld() {
        if (!isHeld()) {
            throw left.get() ? Messages.released(hold) : Messages.lost(hold);
        }
    }

    @Override
    public void extend(Duration lease) {
        session.checkLease(hold.key, lease);
        ensureHeld();
        RenewResult result = Waits.extension(session.watchdog().extend(hold, lease), hold.key);
        if (result instanceof RenewResult.Unknown unknown) {
            throw new LockBackendException(
                    hold.key,
                    "Could not extend lock '" + hold.key + "'; its lease is at least what it was: " + unknown.reason(),
                    unknown.cause());
        }
        if (result instanceof RenewResult.Deferred deferred) {
            throw new LockBackendException(
                    hold.key,
                    "Could not extend lock '" + hold.key + "': the lock store is recovering for "
                            + Texts.of(deferred.retryAfter()) + " more; its lease is what it was",
                    null);
        }
        ensureHeld();
    }

    @Override
    public void onLost(Runnable callback) {
        hold.onLost(this, callback, session.events());
    }

    boolean hasLeft() {
        return left.get();
    }

    @Override
    public ReleaseOutcome release() {
        return Waits.uninterruptibly(releaseAsync());
    }

    @Override
    public CompletableFuture<ReleaseOutcome> releaseAsync() {
        if (!left.compareAndSet(false, true)) {
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

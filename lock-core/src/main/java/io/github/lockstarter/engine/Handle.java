package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.Hold.CallbackTurn;
import io.github.lockstarter.engine.Hold.Entry;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One entry into a {@link Hold}, with its own release. Thread-safe. */
final class Handle extends Entry implements LockHandle {

    Handle(Hold hold, @Nullable Thread thread) {
        super(hold, thread);
    }

    private Running running() {
        return hold.lock.running;
    }

    @Override
    public String key() {
        return hold.lock.key;
    }

    @Override
    public HeldLocks heldBySource() {
        return running().heldLocks;
    }

    @Override
    public int slot() {
        return hold.grant.slot;
    }

    @Override
    public long fencingToken() {
        return hold.fencingToken;
    }

    private boolean checkHeld() {
        return !hasLeft && hold.lock.checkHeld(hold);
    }

    private boolean isCertain() {
        return hold.grant.isCertain();
    }

    @Override
    public Duration remainingLease() {
        return checkHeld() ? hold.lock.remainingLease(hold, running().now()) : Duration.ZERO;
    }

    @Override
    public boolean isHeld() {
        return checkHeld() && isCertain();
    }

    @Override
    public HoldState state() {
        if (hasLeft) {
            return HoldState.RELEASED;
        }
        if (!checkHeld()) {
            return HoldState.LOST;
        }
        return isCertain() ? HoldState.HELD : HoldState.IN_DOUBT;
    }

    @Override
    public void ensureHeld() {
        checkSettled(!hasLeft && Settlement.await(hold));
    }

    @Override
    public CompletableFuture<Void> ensureHeldAsync() {
        return running().events.completedForCallers(beginEnsureHeld());
    }

    /** {@link #ensureHeldAsync()}, completed by any thread, such as an event loop. */
    CompletableFuture<Void> beginEnsureHeld() {
        CompletableFuture<Boolean> settled = hasLeft ? CompletableFuture.completedFuture(false) : Settlement.of(hold);
        return settled.thenAccept(this::checkSettled);
    }

    private void checkSettled(boolean held) {
        if (hasLeft || !held) {
            throw notHeld();
        }
        if (!isCertain()) {
            throw Messages.unanswered(hold);
        }
    }

    private RuntimeException notHeld() {
        return hasLeft ? Messages.released(hold) : lost();
    }

    private LockLostException lost() {
        return Messages.lost(hold, running().now().nanos());
    }

    @Override
    public void extend(LockRequest request) {
        if (!keys().equals(request.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + request.keys());
        }
        checkExtension(request);
        extendLease(request);
        continueOn(request.terms());
    }

    /** Without the check of the keys. */
    void checkExtension(LockRequest request) {
        running().settings.checkExtension(request, hold.request.terms());
        if (hold.isShared()) {
            request.mode(LockMode.READ); // refuses what readers cannot have
        }
        Messages.checkKept(key(), request.terms().minHold().orElse(Duration.ZERO), running().capabilities);
        if (!checkHeld()) {
            throw notHeld();
        }
    }

    void extendLease(LockRequest request) {
        Duration lease = request.terms().lease().orElse(hold.request.lease());
        RenewResult result = extended(lease);
        if (result instanceof RenewResult.Deferred deferred
                && deferred.retryAfter().isZero()) {
            result = extended(lease);
        }
        if (result instanceof RenewResult.Unknown unknown) {
            throw Messages.unknownExtension(hold, unknown);
        }
        if (result instanceof RenewResult.Deferred deferred) {
            throw Messages.recovering(hold, deferred);
        }
        if (!checkHeld()) {
            throw notHeld();
        }
    }

    void continueOn(LockTerms terms) {
        running().run(hold.lock, (todo, now) -> hold.lock.held().continueOn(this, terms, now));
    }

    private RenewResult extended(Duration lease) {
        try {
            return BlockingWait.await(running().renewForOwner(hold, Optional.of(lease)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Messages.interruptedExtension(hold, e);
        }
    }

    @Override
    public void downgrade() {
        StackReserve.ensure();
        if (!checkHeld()) {
            throw notHeld();
        }
        if (!running().capabilities.readers()) {
            throw Messages.noReaders(key());
        }
        AcquireResult result = awaited(running().downgrade(this).orElseThrow(() -> Messages.cannotDowngrade(hold)));
        if (!checkHeld()) {
            throw notHeld();
        }
        if (!(result instanceof AcquireResult.Granted)) {
            throw Messages.notDowngraded(hold, result);
        }
    }

    private AcquireResult awaited(CompletableFuture<AcquireResult> answer) {
        try {
            return BlockingWait.await(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Messages.interruptedDowngrade(hold, e);
        }
    }

    @Override
    public void onLost(Runnable callback) {
        onLost(CallbackTurn.FIRST, callback);
    }

    @Override
    public void afterLost(Runnable callback) {
        onLost(CallbackTurn.LAST, callback);
    }

    private void onLost(CallbackTurn turn, Runnable callback) {
        StackReserve.ensure();
        running().run(hold.lock, (todo, now) -> hold.lock.held().onLost(todo, this, turn, callback));
    }

    @Override
    public OnLost onLost() {
        return hold.request.terms().onLost();
    }

    @Override
    public ReleaseOutcome release() {
        return BlockingWait.awaitUninterruptibly(beginRelease());
    }

    /**
     * {@link #release()}, completed by any thread. With {@link LockTerms.Release#SEND}, completes with {@code
     * SENT} once sent, unless the lock is in doubt or a renewal is under way.
     */
    CompletableFuture<ReleaseOutcome> beginRelease() {
        if (hasLeft) {
            return CompletableFuture.completedFuture(ReleaseOutcome.ALREADY_RELEASED);
        }
        try {
            StackReserve.ensure();
            boolean awaited = hold.request.awaitsRelease() || !isCertain();
            CompletableFuture<ReleaseOutcome> outcome = running().exit(this);
            return awaited || outcome.isDone() || !hold.releaseSent
                    ? outcome
                    : CompletableFuture.completedFuture(ReleaseOutcome.SENT);
        } catch (RuntimeException | Error e) {
            hold.renewalEnded = true; // no call: the stack may be full
            throw e;
        }
    }

    @Override
    public void recordSuccess() {
        if (!hasLeft && !minHoldAfterSuccess.isZero()) {
            StackReserve.ensure();
            running().run(hold.lock, (todo, now) -> hold.lock.held().recordSuccess(todo, this, now));
        }
    }

    /** Releases without minimum hold, unless another handle has the hold. */
    CompletableFuture<ReleaseOutcome> giveBack() {
        hold.lock.dropMinimumHold(hold);
        return beginRelease();
    }

    @Override
    public LockTicket detach() {
        return detach(hold.request.lease());
    }

    @Override
    public LockTicket detach(Duration lease) {
        Detachment detachment = checkedDetachment(lease);
        try {
            ensureHeld();
        } catch (LockException e) {
            release(); // as if the store had refused
            throw e;
        }
        return ticketOf(detachment, BlockingWait.awaitUninterruptibly(running().detach(this, detachment)));
    }

    @Override
    public CompletableFuture<LockTicket> detachAsync(Duration lease) {
        Detachment detachment = checkedDetachment(lease);
        CompletableFuture<LockTicket> ticket = beginEnsureHeld()
                .whenComplete((any, failure) -> releaseIf(failure != null))
                .thenCompose(any -> running().detach(this, detachment))
                .thenApply(outcome -> ticketOf(detachment, outcome));
        return running().events.completedForCallers(ticket);
    }

    private void releaseIf(boolean failed) {
        if (failed) {
            beginRelease();
        }
    }

    private LockTicket ticketOf(Detachment detachment, ReleaseOutcome outcome) {
        AcquireResult answer = detachment.answer;
        if (answer instanceof AcquireResult.Granted granted) {
            return new LockTicket(
                    hold.request.name(), key(), detachment.command.token().value(), granted.fencingToken());
        }
        throw switch (outcome) {
            case STILL_HELD ->
                Messages.noTicket(
                        key(),
                        hold.downgrade != null
                                ? "a downgrade of it has not ended. Call downgrade again, or release it"
                                : "its thread has entered it again. Leave that section first");
            case ALREADY_RELEASED -> Messages.released(hold);
            case LOST -> lost();
            default -> Messages.notDetached(hold, answer, outcome);
        };
    }

    private Detachment checkedDetachment(Duration lease) {
        running().settings.checkExtension(LockRequest.of(key()).lease(lease), hold.request.terms());
        Messages.checkTicket(key(), hold.request, isOrWillBeKept(), running().capabilities);
        return running().detachment(hold, lease);
    }

    private boolean isOrWillBeKept() {
        return hold.isKept() || !minHoldAfterSuccess.isZero();
    }

    @Override
    public void close() {
        checkNotLost(release());
    }

    @Override
    public CompletableFuture<ReleaseOutcome> closeAsync() {
        return running().events.completedForCallers(beginRelease()).thenApply(this::checkNotLost);
    }

    private ReleaseOutcome checkNotLost(ReleaseOutcome outcome) {
        if (outcome == ReleaseOutcome.LOST) {
            throw lost();
        }
        return outcome;
    }

    @Override
    public Optional<LockHandle> reenter(LockRequest request) {
        if (!keys().containsAll(request.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + request.keys());
        }
        return upcast(enterAgain(resolved(request)));
    }

    /** Only casts, because a conversion allocates: if that fails, no code gets the handle, and the lock stays held. */
    @SuppressWarnings("unchecked")
    static Optional<LockHandle> upcast(Optional<? extends LockHandle> handle) {
        return (Optional<LockHandle>) handle;
    }

    ResolvedRequest resolved(LockRequest request) {
        ResolvedRequest resolved = ResolvedRequest.of(request, running().settings);
        Messages.checkKept(key(), resolved.minHold(), running().capabilities);
        return resolved;
    }

    /** Without the check of the keys. */
    Optional<Handle> enterAgain(ResolvedRequest request) {
        StackReserve.ensure();
        if (hasLeft) {
            return Optional.empty();
        }
        return enter(hold, thread, checkHeld(), request);
    }

    /** Another handle of the hold; empty if it is being released. */
    static Optional<Handle> enter(Hold hold, @Nullable Thread thread, boolean held, ResolvedRequest request) {
        if (held && !hold.grant.isCertain()) {
            throw Messages.inDoubt(hold);
        }
        // Allocated first: nothing may fail after the entry is counted.
        Handle handle = new Handle(hold, thread);
        Optional<Handle> entered = Optional.of(handle);
        Hold.State state = hold.lock.enter(handle, request);
        if (state == null) {
            throw Messages.readsOnly(hold);
        }
        if (state == Hold.State.LOST) {
            throw handle.lost();
        }
        return state == Hold.State.HELD ? entered : Optional.empty();
    }

    @Override
    public String toString() {
        return "LockHandle[" + LockRequest.printable(key()) + ", fencing token " + fencingToken() + ']';
    }
}

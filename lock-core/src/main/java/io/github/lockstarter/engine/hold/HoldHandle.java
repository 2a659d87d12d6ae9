package io.github.lockstarter.engine.hold;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One entry into a {@link Hold}: its own release, the hold's everything else.
 *
 * <p>Invariant: an entry is counted down once, by the one that turned {@link #stage} from {@link #ENTERED} to
 * {@link #LEAVING}, or, if that thread could not go on and said so with {@link #FAILED}, by the engine; {@link #LEFT}
 * follows the count without a call in between, so that no error comes between them. A thread that fails to release for
 * want of stack or memory puts the handle on the hold's list of {@link Hold#unfinished} ones, which takes two fields
 * and no call. Two threads that fail with handles of one hold at the same moment may lose one of them: then the hold is
 * found once its handles cannot be reached.
 */
public final class HoldHandle implements EngineHandle, Hold.Claim {

    private static final int ENTERED = 0;
    private static final int LEAVING = 1;
    private static final int FAILED = 2;
    public static final int LEFT = 3;

    private static final AtomicIntegerFieldUpdater<HoldHandle> STAGE =
            AtomicIntegerFieldUpdater.newUpdater(HoldHandle.class, "stage");

    public final Hold hold;

    /** The hold's first handle: reachable through each of its handles. */
    private final HoldHandle first;

    private final HoldOperations operations;

    /** Where the handle is on its way out; changed by its updater, and by the thread that leaves. */
    public volatile int stage;

    /** On the list of the hold once it {@link #isUnfinished}. */
    public @Nullable HoldHandle nextUnfinished;

    private volatile boolean isUnfinished;

    /** A handle of the hold; null for the first one of those that can be reached. */
    public HoldHandle(Hold hold, HoldOperations operations, @Nullable HoldHandle first) {
        this.hold = hold;
        this.operations = operations;
        this.first = first == null ? this : first;
    }

    @Override
    public HoldHandle first() {
        return first;
    }

    @Override
    public String key() {
        return hold.key;
    }

    @Override
    public HeldLocks heldBySource() {
        return operations.heldLocks();
    }

    @Override
    public long fencingToken() {
        return hold.fencingToken;
    }

    @Override
    public Duration remainingLease() {
        return !hasLeft() && operations.checkHeld(hold) ? hold.remainingLease() : Duration.ZERO;
    }

    @Override
    public boolean isHeld() {
        return !hasLeft() && operations.checkHeld(hold) && hold.isCertain();
    }

    @Override
    public HoldState state() {
        if (hasLeft()) {
            return HoldState.RELEASED;
        }
        if (!operations.checkHeld(hold)) {
            return HoldState.LOST;
        }
        return hold.isCertain() ? HoldState.HELD : HoldState.IN_DOUBT;
    }

    @Override
    public void ensureHeld() {
        checkSettled(!hasLeft() && operations.settleDoubt(hold));
    }

    @Override
    public CompletableFuture<Void> ensureHeldAsync() {
        return hasLeft()
                ? CompletableFuture.failedFuture(HoldExceptions.released(hold))
                : operations.settle(hold).thenAccept(this::checkSettled);
    }

    private void checkSettled(boolean isHeld) {
        if (hasLeft() || !isHeld) {
            throw notHeld();
        }
        if (!hold.isCertain()) {
            throw HoldExceptions.unanswered(hold);
        }
    }

    private RuntimeException notHeld() {
        return hasLeft() ? HoldExceptions.released(hold) : HoldExceptions.lost(hold);
    }

    @Override
    public void extend(LockRequest terms) {
        if (!keys().equals(terms.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + terms.keys());
        }
        extendOn(terms);
    }

    @Override
    public void extendOn(LockRequest terms) {
        operations.checkExtension(hold, terms);
        if (hasLeft() || !operations.checkHeld(hold)) {
            throw notHeld();
        }
        RenewResult result = answerTo(operations.extend(hold, terms));
        if (result instanceof RenewResult.Unknown unknown) {
            throw new LockBackendException(
                    hold.key,
                    "Could not extend lock '" + hold.key + "'; its lease is at least as long as before: "
                            + unknown.reason(),
                    unknown.cause());
        }
        if (result instanceof RenewResult.Deferred deferred) {
            throw HoldExceptions.recovering(hold, deferred);
        }
        if (hasLeft() || !operations.checkHeld(hold)) {
            throw notHeld();
        }
    }

    private RenewResult answerTo(CompletableFuture<RenewResult> extension) {
        try {
            return BlockingWait.await(extension);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    hold.key,
                    "Interrupted while extending lock '" + hold.key
                            + "'; its lease is at least as long as before, and perhaps longer",
                    e);
        }
    }

    @Override
    public void onLost(Runnable callback) {
        hold.onLost(this, callback, operations.events());
    }

    boolean hasLeft() {
        return stage != ENTERED;
    }

    @Override
    public ReleaseOutcome release() {
        return BlockingWait.awaitUninterruptibly(beginRelease());
    }

    @Override
    public CompletableFuture<ReleaseOutcome> beginRelease() {
        boolean leaving = false;
        try {
            leaving = STAGE.compareAndSet(this, ENTERED, LEAVING);
            if (!leaving) {
                return CompletableFuture.completedFuture(ReleaseOutcome.ALREADY_RELEASED);
            }
            hold.forgetCallbacksOf(this);
            return operations.leave(this);
        } catch (RuntimeException | Error e) {
            if (leaving && stage == LEAVING) {
                stage = FAILED;
            }
            if ((leaving || stage == ENTERED) && !isUnfinished) {
                isUnfinished = true;
                nextUnfinished = hold.unfinished;
                hold.unfinished = this;
                operations.hasUnfinished = true;
            }
            throw e;
        }
    }

    @Override
    public void keepFor(Duration atLeast) {
        hold.keepFor(atLeast);
    }

    @Override
    public void keepNothing() {
        hold.keepNothing();
    }

    /** Whether the thread that was to count the entry down could not; true once. */
    public boolean isToBeFinished() {
        return STAGE.compareAndSet(this, ENTERED, LEAVING) || STAGE.compareAndSet(this, FAILED, LEAVING);
    }

    @Override
    public void close() {
        if (release() == ReleaseOutcome.LOST) {
            throw HoldExceptions.lost(hold);
        }
    }

    @Override
    public CompletableFuture<ReleaseOutcome> closeAsync() {
        return operations
                .events()
                .completedForCallers(beginRelease())
                .thenCompose(outcome -> outcome == ReleaseOutcome.LOST
                        ? CompletableFuture.failedFuture(HoldExceptions.lost(hold))
                        : CompletableFuture.completedFuture(outcome));
    }

    @Override
    public Optional<LockHandle> reenter(LockRequest request) {
        if (!keys().containsAll(request.keys())) {
            throw new IllegalArgumentException("This handle holds " + keys() + ", not " + request.keys());
        }
        return enterAgain(request).map(LockHandle.class::cast);
    }

    @Override
    public Optional<EngineHandle> enterAgain(LockRequest request) {
        Duration atLeast = operations.resolve(request).atLeast();
        if (hasLeft()) {
            return Optional.empty();
        }
        if (operations.checkHeld(hold) && !hold.isCertain()) {
            throw HoldExceptions.inDoubt(hold);
        }
        // Made first: behind the entry is no call that could fail, but for the returns.
        Optional<EngineHandle> handle = Optional.of(new HoldHandle(hold, operations, first));
        if (hold.lifecycle.enter()) {
            hold.keepFor(atLeast);
            return handle;
        }
        if (hold.lifecycle.isLost()) {
            throw HoldExceptions.lost(hold);
        }
        return Optional.empty(); // it is being released
    }

    @Override
    public String toString() {
        return "LockHandle[" + LockRequest.printable(hold.key) + ", fencing token " + hold.fencingToken + ']';
    }
}

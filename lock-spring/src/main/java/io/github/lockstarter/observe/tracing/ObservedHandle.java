package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A hold whose section is observed until its release. Any thread calls. */
final class ObservedHandle implements LockHandle {

    private final LockHandle handle;
    private final LockObservation section;

    ObservedHandle(LockHandle handle, LockObservation section) {
        this.handle = handle;
        this.section = section;
        handle.onLost(section::lost); // which does not keep the handle: the lock client keeps the callback
    }

    LockObservation section() {
        return section;
    }

    @Override
    public ReleaseOutcome release() {
        ReleaseOutcome outcome = ReleaseOutcome.UNKNOWN;
        try {
            outcome = handle.release();
            return outcome;
        } finally {
            end(outcome, null);
        }
    }

    /** By its release, since the close of the observed handle does not tell an unknown outcome. */
    @Override
    public void close() {
        LockLostException known = knownLoss();
        ReleaseOutcome outcome = ReleaseOutcome.UNKNOWN;
        try {
            outcome = handle.release();
        } finally {
            if (outcome != ReleaseOutcome.LOST) {
                end(outcome, null);
            }
        }
        if (outcome == ReleaseOutcome.LOST) {
            LockLostException loss = known == null ? lossFoundByRelease() : known;
            try {
                end(outcome, loss);
            } catch (RuntimeException | Error e) {
                loss.addSuppressed(e);
            }
            throw loss;
        }
    }

    /** The loss in the words of the observed handle, which has them only before its release. */
    private @Nullable LockLostException knownLoss() {
        try {
            if (handle.state() == HoldState.LOST) {
                handle.ensureHeld();
            }
            return null;
        } catch (LockLostException e) {
            return e;
        } catch (RuntimeException | Error e) {
            return null; // the release matters more than its words
        }
    }

    private LockLostException lossFoundByRelease() {
        return new LockLostException(
                handle.key(),
                "Lost lock '" + handle.key() + "' before its release: the lock store no longer"
                        + " has it. Work since then may overlap with another owner; check the fencing token where you"
                        + " write.");
    }

    @Override
    public CompletableFuture<ReleaseOutcome> closeAsync() {
        CompletableFuture<ReleaseOutcome> closing;
        try {
            closing = handle.closeAsync();
        } catch (RuntimeException | Error e) {
            end(ReleaseOutcome.UNKNOWN, null);
            throw e;
        }
        return closing.whenComplete((outcome, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof LockLostException loss) {
                end(ReleaseOutcome.LOST, loss);
            } else {
                end(failure == null ? outcome : ReleaseOutcome.UNKNOWN, null);
            }
        });
    }

    /** The section is that of the first handle. */
    @Override
    public Optional<LockHandle> reenter(LockRequest request) {
        return handle.reenter(request);
    }

    private void end(ReleaseOutcome outcome, @Nullable LockLostException loss) {
        switch (outcome) {
            case RELEASED, STILL_HELD -> section.stop("released", null);
            case LOST -> {
                try {
                    section.lost(); // its callback may not have come yet
                } finally {
                    section.stop("lost", loss);
                }
            }
            case UNKNOWN -> section.stop("unknown", null);
            case ALREADY_RELEASED -> {}
        }
    }

    @Override
    public String key() {
        return handle.key();
    }

    @Override
    public List<String> keys() {
        return handle.keys();
    }

    @Override
    public HeldLocks heldBySource() {
        return handle.heldBySource();
    }

    @Override
    public long fencingToken() {
        return handle.fencingToken();
    }

    @Override
    public long fencingToken(String key) {
        return handle.fencingToken(key);
    }

    @Override
    public Duration remainingLease() {
        return handle.remainingLease();
    }

    @Override
    public boolean isHeld() {
        return handle.isHeld();
    }

    @Override
    public HoldState state() {
        return handle.state();
    }

    @Override
    public void ensureHeld() {
        handle.ensureHeld();
    }

    @Override
    public void extend(LockRequest terms) {
        handle.extend(terms);
    }

    @Override
    public void onLost(Runnable callback) {
        handle.onLost(callback);
    }

    @Override
    public String toString() {
        return handle.toString();
    }
}

package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.observe.tracing.SafeObservations.Started;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A hold whose section is observed until its release. Any thread calls. {@link #lock} guards {@link #lost} and {@link
 * #ended}, which turn true once, and lets no event come after the end.
 */
final class ObservedHandle implements LockHandle {

    private final LockHandle handle;
    private final Started section;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean lost;
    private boolean ended;

    ObservedHandle(LockHandle handle, Started section) {
        this.handle = handle;
        this.section = section;
        WeakReference<ObservedHandle> self = new WeakReference<>(this); // the lock client keeps the callback
        handle.onLost(() -> {
            ObservedHandle observed = self.get();
            if (observed != null) {
                observed.reportLoss();
            }
        });
    }

    Started section() {
        return section;
    }

    private void reportLoss() {
        lock.lock();
        try {
            if (!ended && !lost) {
                lost = true;
                section.event(LockObservation.LOST);
            }
        } finally {
            lock.unlock();
        }
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

    /** As that of the observed handle, which would not say whether the outcome is unknown. */
    @Override
    public void close() {
        LockLostException known = loss();
        ReleaseOutcome outcome = ReleaseOutcome.UNKNOWN;
        LockLostException loss = null;
        try {
            outcome = handle.release();
            loss = outcome != ReleaseOutcome.LOST ? null : known != null ? known : justNow();
        } finally {
            end(outcome, loss);
        }
        if (loss != null) {
            throw loss;
        }
    }

    @Override
    public CompletableFuture<ReleaseOutcome> closeAsync() {
        return handle.closeAsync().whenComplete((outcome, failure) -> {
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

    /** What the observed handle says of its loss, as long as it can be asked: after the release, it says only that. */
    private @Nullable LockLostException loss() {
        try {
            if (handle.state() != HoldState.LOST) {
                return null;
            }
            handle.ensureHeld();
            return null;
        } catch (LockLostException e) {
            return e;
        } catch (IllegalStateException released) {
            return null;
        } catch (VirtualMachineError e) {
            return null; // the release comes first
        }
    }

    private LockLostException justNow() {
        return new LockLostException(
                handle.key(),
                "Lost lock '" + handle.key()
                        + "' right before its release. Work since then may overlap with another owner;"
                        + " check the fencing token where you write.");
    }

    private void end(ReleaseOutcome outcome, @Nullable LockLostException loss) {
        if (outcome == ReleaseOutcome.ALREADY_RELEASED) {
            return;
        }
        if (outcome == ReleaseOutcome.LOST) {
            reportLoss(); // its callback may not have come yet, or not at all
        }
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                section.stop(text(outcome), loss);
            }
        } finally {
            lock.unlock();
        }
    }

    private static String text(ReleaseOutcome outcome) {
        ReleaseOutcome shown = outcome == ReleaseOutcome.STILL_HELD ? ReleaseOutcome.RELEASED : outcome;
        return shown.name().toLowerCase(Locale.ROOT);
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

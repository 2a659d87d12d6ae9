package io.github.lockstarter.redis.batch;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A call that is yet to be sent, or that may be followed by another one until it has its result. Later calls for its
 * key go behind it.
 *
 * <p>Invariant: nothing is sent for it behind a later call. {@link #state} goes from unsent to sent, and from either to
 * following, when the reply asks for one more call, and followed, when that has been sent. Only from sent it goes to
 * passed, when a later call no longer waits: then nothing follows.
 *
 * @param <R> its result
 */
abstract class PendingCall<R> extends CompletableFuture<R> {

    private enum State {
        UNSENT,
        SENT,
        FOLLOWING,
        FOLLOWED,
        PASSED
    }

    @SuppressWarnings("rawtypes") // as a class literal is
    private static final AtomicReferenceFieldUpdater<PendingCall, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(PendingCall.class, State.class, "state");

    private volatile State state = State.UNSENT;

    /** What gives it its result, if that is such a call too. */
    private volatile @Nullable PendingCall<?> other;

    /** It has been sent for the first time. */
    void sent() {
        STATE.compareAndSet(this, State.UNSENT, State.SENT);
    }

    /** Before one more call is sent for it: false if a later call has been sent. To end with {@link #followed}. */
    boolean follow() {
        return STATE.compareAndSet(this, State.SENT, State.FOLLOWING)
                || STATE.compareAndSet(this, State.UNSENT, State.FOLLOWING);
    }

    /** One more call has been sent for it, and no other one follows. */
    void followed() {
        state = State.FOLLOWED;
    }

    /** Before a later call is sent although this one has no result: false if that has to wait. */
    boolean pass() {
        PendingCall<?> by = other;
        if (by != null) {
            return by.isDone() || by.pass();
        }
        STATE.compareAndSet(this, State.SENT, State.PASSED);
        State now = state;
        return now == State.PASSED || now == State.FOLLOWED;
    }

    /** The result is there, and dependents have heard of it. */
    void ended() {}

    /** A sender completes it so, or as another stage. A dependent would cost more. */
    @Override
    public boolean complete(R value) {
        boolean isFirst = super.complete(value);
        ended();
        return isFirst;
    }

    /** Passes a result on. */
    void completeAs(CompletionStage<R> result) {
        other = result instanceof PendingCall<?> call ? call : null;
        result.whenComplete((value, failure) -> {
            if (failure == null) {
                complete(value);
            } else {
                fail(failure);
            }
        });
    }

    void fail(Throwable failure) {
        completeExceptionally(failure);
        ended();
    }
}

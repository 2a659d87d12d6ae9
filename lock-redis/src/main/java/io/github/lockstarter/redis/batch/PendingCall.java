package io.github.lockstarter.redis.batch;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A call that is yet to be sent, or that may be followed by another one until it has its result. Later calls for its
 * key go behind it.
 *
 * @param <R> its result
 */
abstract class PendingCall<R> extends CompletableFuture<R> {

    /** Whether it was sent, perhaps not for the last time. */
    abstract boolean isSent();

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
        result.whenComplete((value, failure) -> {
            if (failure == null) {
                complete(value);
            } else {
                completeExceptionally(failure);
                ended();
            }
        });
    }
}

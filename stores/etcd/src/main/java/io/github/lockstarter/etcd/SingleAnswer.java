package io.github.lockstarter.etcd;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Completes a future with the one answer to a request.
 *
 * @param <A> kind of answer
 * @param <R> kind of result
 * @param future to complete
 * @param result what is taken from the answer
 */
record SingleAnswer<A, R>(CompletableFuture<R> future, Function<A, R> result) implements StreamObserver<A> {

    @Override
    public void onNext(A answer) {
        future.complete(result.apply(answer));
    }

    @Override
    public void onError(Throwable failure) {
        future.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
        if (!future.isDone()) {
            onError(Status.INTERNAL
                    .withDescription("no answer before the end of the call")
                    .asRuntimeException());
        }
    }
}

package io.github.lockstarter.etcd;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** Completes a future with the single response to a request. */
record SingleAnswer<A>(CompletableFuture<A> future) implements StreamObserver<A> {

    @Override
    public void onNext(A answer) {
        future.complete(answer);
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

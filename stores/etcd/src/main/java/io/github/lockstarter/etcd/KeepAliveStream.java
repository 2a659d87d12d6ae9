package io.github.lockstarter.etcd;

import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The responses to the keep-alive requests of one stream. Etcd sends one for each request, in order, so none can belong
 * to an earlier request.
 *
 * <p>Called by one thread at a time. {@code answered} counts the responses.
 */
final class KeepAliveStream implements StreamObserver<LeaseKeepAliveResponse> {

    private final List<Long> leases;
    private final List<CompletableFuture<Long>> answers;
    private int answered;

    KeepAliveStream(List<Long> leases) {
        this.leases = leases;
        this.answers = Stream.generate(CompletableFuture<Long>::new)
                .limit(leases.size())
                .toList();
    }

    /** For each lease, its seconds from the response on; 0 or less if it does not exist. */
    List<CompletableFuture<Long>> answers() {
        return answers;
    }

    void send(StreamObserver<LeaseKeepAliveRequest> requests) {
        for (long lease : leases) {
            requests.onNext(LeaseKeepAliveRequest.newBuilder().setID(lease).build());
        }
        requests.onCompleted();
    }

    @Override
    public void onNext(LeaseKeepAliveResponse response) {
        if (answered < leases.size() && leases.get(answered) == response.getID()) {
            answers.get(answered++).complete(response.getTTL());
        } else {
            onError(Status.INTERNAL
                    .withDescription("a keep-alive response for another lease")
                    .asRuntimeException());
        }
    }

    @Override
    public void onError(Throwable failure) {
        answers.forEach(answer -> answer.completeExceptionally(failure));
    }

    @Override
    public void onCompleted() {
        onError(Status.UNAVAILABLE
                .withDescription("the stream ended before the answer")
                .asRuntimeException());
    }
}

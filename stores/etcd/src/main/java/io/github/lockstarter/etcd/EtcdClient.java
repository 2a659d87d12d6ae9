package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.github.lockstarter.etcd.EtcdChannels.Member;
import io.github.lockstarter.spi.LockThreads;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The requests to etcd. Each ends by its deadline and is sent once, except after a rejection of the user's token.
 * Futures complete on the callback threads, with a {@link StatusRuntimeException} on failure. Thread-safe.
 */
final class EtcdClient implements AutoCloseable {

    /** Cancels a watch when its member loses the leader, instead of leaving it without events. */
    private static final Metadata.Key<String> NEEDS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private final EtcdChannels channels;
    private final Optional<Authentication> authentication;
    private final Duration timeout;
    private final Executor callbacks;
    private final ScheduledExecutorService timer = LockThreads.timer("lock-etcd-timer");
    private final Metadata watchHeaders = new Metadata();

    EtcdClient(EtcdSettings settings, Executor callbacks) {
        this.channels = new EtcdChannels(settings, callbacks);
        this.authentication = settings.credentials().map(user -> new Authentication(user, settings.commandTimeout()));
        this.timeout = settings.commandTimeout();
        this.callbacks = callbacks;
        watchHeaders.put(NEEDS_LEADER, "true");
    }

    /** Not by the JDK's timer, which code of the application may block. Never after {@link #close}. */
    void later(Duration delay, Runnable action) {
        try {
            timer.schedule(() -> callbacks.execute(action), delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            // nothing to do for a closed client
        }
    }

    Deadline deadline() {
        return Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    CompletableFuture<LeaseGrantResponse> grantLease(Duration atLeast, Deadline deadline) {
        long seconds = Math.max(1, atLeast.plusNanos(999_999_999).toSeconds());
        return call(
                LeaseGrpc.getLeaseGrantMethod(),
                LeaseGrantRequest.newBuilder().setTTL(seconds).build(),
                deadline);
    }

    /** False if the lease does not exist. */
    CompletableFuture<Boolean> revokeLease(long lease, Deadline deadline) {
        LeaseRevokeRequest request =
                LeaseRevokeRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseRevokeMethod(), request, deadline)
                .thenApply(revoked -> true)
                .exceptionallyCompose(failure -> Status.fromThrowable(failure).getCode() == Status.Code.NOT_FOUND
                        ? CompletableFuture.completedFuture(false)
                        : CompletableFuture.failedFuture(failure));
    }

    /** Rounded down by etcd; zero if the lease has ended. */
    CompletableFuture<Duration> remaining(long lease, Deadline deadline) {
        LeaseTimeToLiveRequest request =
                LeaseTimeToLiveRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseTimeToLiveMethod(), request, deadline)
                .thenApply(LeaseTimeToLiveResponse::getTTL)
                .thenApply(seconds -> Duration.ofSeconds(Math.max(0, seconds)));
    }

    Member member() {
        return channels.current();
    }

    List<CompletableFuture<Long>> keepAlive(Member member, List<Long> leases, Deadline deadline) {
        KeepAliveStream stream = new KeepAliveStream(leases);
        boolean inTime = isInTime(deadline);
        CompletableFuture.allOf(stream.answers().toArray(CompletableFuture[]::new))
                .whenComplete((all, failure) -> note(member, failure, inTime)); // one failed stream is one failure
        try {
            stream.send(ClientCalls.asyncBidiStreamingCall(
                    member.channel()
                            .newCall(
                                    LeaseGrpc.getLeaseKeepAliveMethod(),
                                    signed(member).withDeadline(deadline)),
                    stream));
        } catch (RuntimeException e) {
            stream.onError(e);
        }
        return stream.answers();
    }

    CompletableFuture<TxnResponse> transact(TxnRequest request, Deadline deadline) {
        return call(KVGrpc.getTxnMethod(), request, deadline);
    }

    CompletableFuture<TxnResponse> transact(Member member, TxnRequest request, Deadline deadline) {
        return call(member, KVGrpc.getTxnMethod(), request, deadline);
    }

    /** Reads one key as of a moment after the call. */
    CompletableFuture<Optional<KeyValue>> read(ByteString key, Deadline deadline) {
        return range(key, deadline)
                .thenApply(found -> found.getKvsList().stream().findFirst());
    }

    /** {@link #read} with the revision. */
    CompletableFuture<RangeResponse> range(ByteString key, Deadline deadline) {
        return call(
                KVGrpc.getRangeMethod(), RangeRequest.newBuilder().setKey(key).build(), deadline);
    }

    KeyWatch watch(WatchRequest request, KeyWatch.Listener listener) {
        KeyWatch watch = new KeyWatch(listener);
        Member member = channels.current();
        try {
            Channel channel = ClientInterceptors.intercept(
                    member.channel(), MetadataUtils.newAttachHeadersInterceptor(watchHeaders));
            ClientCalls.asyncBidiStreamingCall(channel.newCall(WatchGrpc.getWatchMethod(), signed(member)), watch)
                    .onNext(request);
        } catch (RuntimeException e) {
            watch.end(e);
        }
        return watch;
    }

    private <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request, Deadline deadline) {
        return call(channels.current(), method, request, deadline);
    }

    private <Q, A> CompletableFuture<A> call(
            Member member, MethodDescriptor<Q, A> method, Q request, Deadline deadline) {
        CompletableFuture<A> first = callOnce(member, method, request, deadline);
        return authentication.isEmpty()
                ? first
                : first.exceptionallyCompose(failure -> {
                    if (!EtcdFailure.isInvalidToken(failure)) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    authentication.get().forgetToken();
                    return callOnce(member, method, request, deadline);
                });
    }

    private <Q, A> CompletableFuture<A> callOnce(
            Member member, MethodDescriptor<Q, A> method, Q request, Deadline deadline) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        boolean inTime = isInTime(deadline);
        try {
            ClientCalls.asyncUnaryCall(
                    member.channel().newCall(method, signed(member).withDeadline(deadline)),
                    request,
                    new SingleAnswer<>(answer));
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
        return answer.whenComplete((value, failure) -> note(member, failure, inTime));
    }

    private CallOptions signed(Member member) {
        return authentication
                .map(user -> CallOptions.DEFAULT.withCallCredentials(user.over(member.channel())))
                .orElse(CallOptions.DEFAULT);
    }

    /**
     * Whether a working member has time to answer: the command may have spent its time behind another command of its
     * key.
     */
    private boolean isInTime(Deadline deadline) {
        return deadline.timeRemaining(TimeUnit.NANOSECONDS) >= timeout.toNanos() / 2;
    }

    private void note(Member member, @Nullable Throwable failure, boolean inTime) {
        if (failure == null || (!inTime && Status.fromThrowable(failure).getCode() == Status.Code.DEADLINE_EXCEEDED)) {
            return; // success, or no evidence against the member
        }
        if (EtcdFailure.isOfMember(failure)) {
            channels.failed(member);
        }
    }

    @Override
    public void close() {
        timer.shutdown();
        channels.close();
    }
}

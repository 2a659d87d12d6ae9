package io.github.lockstarter.etcd;

import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.grpc.CallCredentials;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Adds the user's token to requests. Etcd issues the token for the password, and ends it when unused. Thread-safe:
 * {@code token} is the latest one or a pending request for it, replaced when etcd rejects it.
 */
final class Authentication {

    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    private final EtcdCredentials credentials;
    private final Duration timeout;
    private final AtomicReference<@Nullable CompletableFuture<AuthenticateResponse>> token = new AtomicReference<>();

    Authentication(EtcdCredentials credentials, Duration timeout) {
        this.credentials = credentials;
        this.timeout = timeout;
    }

    CallCredentials over(Channel channel) {
        return new CallCredentials() {
            @Override
            public void applyRequestMetadata(RequestInfo request, Executor executor, MetadataApplier applier) {
                tokenOver(channel).whenComplete((value, failure) -> {
                    if (failure == null) {
                        Metadata headers = new Metadata();
                        headers.put(TOKEN, value.getToken());
                        applier.apply(headers);
                    } else {
                        applier.fail(Status.fromThrowable(failure));
                    }
                });
            }
        };
    }

    void forgetToken() {
        token.set(null);
    }

    private CompletableFuture<AuthenticateResponse> tokenOver(Channel channel) {
        CompletableFuture<AuthenticateResponse> known = token.get();
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        CompletableFuture<AuthenticateResponse> asked = new CompletableFuture<>();
        if (!token.compareAndSet(known, asked)) {
            return tokenOver(channel);
        }
        AuthenticateRequest request = AuthenticateRequest.newBuilder()
                .setName(credentials.user())
                .setPassword(credentials.password())
                .build();
        AuthGrpc.newStub(channel)
                .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .authenticate(request, new SingleAnswer<>(asked));
        return asked;
    }
}

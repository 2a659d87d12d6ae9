package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Deadline;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The stored offset of {@link FencingTokens} as this backend last read it. Each grant is conditional on it, so a stale
 * value costs one request. Thread-safe.
 */
final class FencingOffset {

    private static final long NONE = 0;

    private final EtcdClient client;
    private final ByteString name;
    private volatile long known = NONE;

    FencingOffset(EtcdClient client, KeyNames names) {
        this.client = client;
        this.name = names.fencingOffset();
    }

    ByteString name() {
        return name;
    }

    long known() {
        return known;
    }

    /** Condition that the stored offset is this one. */
    Compare is(long offset) {
        return offset == NONE
                ? Requests.isAbsent(name)
                : Requests.hasValue(name, ByteString.copyFromUtf8(Long.toString(offset)));
    }

    long read(Optional<KeyValue> stored) {
        known = stored.map(found -> Long.parseLong(found.getValue().toStringUtf8()))
                .orElse(NONE);
        return known;
    }

    /** Raises the offset unless another client has changed it; completes with the stored one. */
    CompletableFuture<Long> raise(long from, long to, Deadline deadline) {
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(is(from))
                .addSuccess(Requests.put(name, ByteString.copyFromUtf8(Long.toString(to)), 0))
                .addSuccess(Requests.get(name))
                .addFailure(Requests.get(name))
                .build();
        return client.transact(request, deadline)
                .thenApply(response -> read(Requests.read(response, response.getSucceeded() ? 1 : 0)));
    }
}

package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Deadline;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The stored offset of {@link FencingTokens}, as this backend knows it: what it knows is a condition of each grant, so
 * a wrong value costs a request and nothing else. Thread-safe.
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

    /** That the offset is this one. */
    Compare is(long offset) {
        return offset == NONE
                ? Requests.isAbsent(name)
                : Requests.hasValue(name, ByteString.copyFromUtf8(Long.toString(offset)));
    }

    /** Takes over what was read. */
    long read(Optional<KeyValue> stored) {
        known = stored.map(found -> Long.parseLong(found.getValue().toStringUtf8()))
                .orElse(NONE);
        return known;
    }

    /** Stores a greater offset, unless another client has changed it; completes with the one that is stored then. */
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

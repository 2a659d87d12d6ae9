package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Deadline;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * Fencing tokens: the revision at which the lock's key was created, times the maximum number of tokens of a grant, plus
 * an offset. Revisions increase over all keys of an etcd and are unique, so tokens of all locks are, too, and the gap
 * between two revisions has room for all tokens of a grant.
 *
 * <p>The offset is stored once per key prefix; each grant requires that it is unchanged. It is 0 until a client brings
 * a token that the revisions have not reached, after etcd was set up again or restored from a backup. That client
 * raises it. It never decreases, so later grants of this etcd always have greater tokens.
 *
 * <p>Thread-safe. {@code known} is the offset as this backend last read it; a stale value costs a grant one request.
 */
final class FencingTokens {

    /** Maximum number of fencing tokens of a grant. */
    static final int ROOM = 1024;

    /** From 2^53 on, numbers are inexact in floating point; half of the range is left for later grants. */
    static final long HIGHEST_FLOOR = 1L << 52;

    private static final long NO_OFFSET = 0;
    private static final Pattern WRITTEN = Pattern.compile("[1-9][0-9]{0,17}");

    private final EtcdClient client;
    private final ByteString name;
    private volatile long known = NO_OFFSET;

    FencingTokens(EtcdClient client, KeyNames names) {
        this.client = client;
        this.name = names.fencingOffset();
    }

    static long at(long revision, long offset) {
        return revision * ROOM + offset;
    }

    /** The offset at which every later revision exceeds the floor. */
    static long offsetAbove(long floor, long revision, long offset) {
        long missing = floor + 1 - at(revision + 1, offset);
        return missing > 0 ? offset + missing : offset;
    }

    /** Whether fencing tokens at this offset are below those of later revisions. */
    boolean hasRoomFor(long offset) {
        return offset - known < ROOM;
    }

    ByteString name() {
        return name;
    }

    long knownOffset() {
        return known;
    }

    /** Condition that the stored offset is this one. */
    Compare hasOffset(long offset) {
        return offset == NO_OFFSET
                ? Requests.isAbsent(name)
                : Requests.hasValue(name, ByteString.copyFromUtf8(Long.toString(offset)));
    }

    /** Fails for a text that this class does not write: the condition of a grant compares texts, so none would hold. */
    long readOffset(Optional<KeyValue> stored) {
        String text = stored.map(found -> found.getValue().toStringUtf8()).orElse("");
        if (stored.isPresent() && !WRITTEN.matcher(text).matches()) {
            throw Status.FAILED_PRECONDITION
                    .withDescription("the key '" + name.toStringUtf8() + "', the offset of fencing tokens, must be a"
                            + " number without leading zeros, not '" + text + "'")
                    .asRuntimeException();
        }
        known = text.isEmpty() ? NO_OFFSET : Long.parseLong(text);
        return known;
    }

    /** Raises the offset unless another client has changed it; completes with the stored one. */
    CompletableFuture<Long> raiseOffset(long from, long to, Deadline deadline) {
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(hasOffset(from))
                .addSuccess(Requests.put(name, ByteString.copyFromUtf8(Long.toString(to)), 0))
                .addSuccess(Requests.get(name))
                .addFailure(Requests.get(name))
                .build();
        return client.transact(request, deadline)
                .thenApply(response -> readOffset(Requests.read(response, response.getSucceeded() ? 1 : 0)));
    }
}

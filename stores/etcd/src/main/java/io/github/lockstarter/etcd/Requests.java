package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Compare.CompareResult;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.Optional;

/** Parts of transactions. Stateless. */
final class Requests {

    private Requests() {}

    static RequestOp put(ByteString key, ByteString value, long lease) {
        return RequestOp.newBuilder()
                .setRequestPut(
                        PutRequest.newBuilder().setKey(key).setValue(value).setLease(lease))
                .build();
    }

    static RequestOp get(ByteString key) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(key))
                .build();
    }

    static RequestOp count(ByteString prefix) {
        return RequestOp.newBuilder()
                .setRequestRange(range(prefix).setCountOnly(true))
                .build();
    }

    static RequestOp getAll(ByteString prefix) {
        return RequestOp.newBuilder().setRequestRange(range(prefix)).build();
    }

    private static RangeRequest.Builder range(ByteString prefix) {
        return RangeRequest.newBuilder().setKey(prefix).setRangeEnd(KeyNames.after(prefix));
    }

    /** A write whose condition is never met: refused wherever writes are, but changes nothing. */
    static TxnRequest withoutEffect(ByteString key) {
        return TxnRequest.newBuilder()
                .addCompare(createdAt(key, -1))
                .addSuccess(put(key, ByteString.EMPTY, 0))
                .build();
    }

    static Compare isAbsent(ByteString key) {
        return createdAt(key, 0);
    }

    private static Compare createdAt(ByteString key, long revision) {
        return equal(key, CompareTarget.CREATE).setCreateRevision(revision).build();
    }

    static Compare hasValue(ByteString key, ByteString value) {
        return equal(key, CompareTarget.VALUE).setValue(value).build();
    }

    static Compare isUnchanged(KeyValue read) {
        return equal(read.getKey(), CompareTarget.MOD)
                .setModRevision(read.getModRevision())
                .build();
    }

    private static Compare.Builder equal(ByteString key, CompareTarget target) {
        return Compare.newBuilder().setKey(key).setTarget(target).setResult(CompareResult.EQUAL);
    }

    static Optional<KeyValue> read(TxnResponse response, int number) {
        return response.getResponses(number).getResponseRange().getKvsList().stream()
                .findFirst();
    }
}

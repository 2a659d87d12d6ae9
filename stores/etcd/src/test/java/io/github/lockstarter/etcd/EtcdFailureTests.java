package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class EtcdFailureTests {

    /** The transport reports it as unknown. */
    @Test
    void aConnectionThatClosesUnderARequestIsNoAnswerOfTheMember() {
        StatusRuntimeException closed = Status.UNKNOWN
                .withDescription("channel closed")
                .withCause(new ClosedChannelException())
                .asRuntimeException();

        assertThat(EtcdFailure.of(closed, "etcd (a:2379)").reason())
                .isEqualTo("etcd (a:2379) did not answer (UNKNOWN: channel closed)");
        assertThat(EtcdFailure.isOfMember(closed)).isTrue();
        assertThat(EtcdFailure.isUnreachable(closed)).isTrue();
    }

    @Test
    void anUnknownFailureOfTheServerIsAnAnswer() {
        StatusRuntimeException answered =
                Status.UNKNOWN.withDescription("etcdserver: corrupt cluster").asRuntimeException();

        assertThat(EtcdFailure.of(answered, "etcd (a:2379)").reason())
                .isEqualTo("etcd (a:2379) failed with UNKNOWN: etcdserver: corrupt cluster");
        assertThat(EtcdFailure.isOfMember(answered)).isFalse();
    }
}

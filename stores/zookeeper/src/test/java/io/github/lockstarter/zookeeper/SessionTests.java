package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SessionTests {

    @ParameterizedTest
    @EnumSource(names = {"OK", "NONODE", "NOAUTH"})
    void anAnswerOfAQuorumIsAProof(Code code) {
        assertThat(Session.isProof(code)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OK", "NONODE", "NOAUTH"})
    void whatOneServerMayAnswerAloneIsNoProof(Code code) {
        assertThat(Session.isProof(code)).isFalse();
    }

    @Test
    void anUnknownAnswerIsNoProof() {
        assertThat(Session.isProof(null)).isFalse();
    }
}

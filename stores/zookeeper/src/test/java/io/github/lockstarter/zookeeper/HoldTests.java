package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.LockToken;
import org.junit.jupiter.api.Test;

class HoldTests {

    private final Hold hold =
            new Hold(new Hold.Id("key", new LockToken("instance", 1)), new LockNode("/a/b", 1, 1), 100);

    @Test
    void aRenewalThatComesWhenTheLeaseHasEndedIsRefused() {
        assertThat(hold.endIfOver(100)).isTrue();

        assertThat(hold.prolong(200)).isFalse();
        assertThat(hold.endIfOver(101)).isTrue();
    }

    @Test
    void aLeaseThatWasProlongedDoesNotEnd() {
        assertThat(hold.prolong(200)).isTrue();

        assertThat(hold.endIfOver(150)).isFalse();
        assertThat(hold.prolong(120)).isTrue();
        assertThat(hold.nanosLeft(150)).isEqualTo(50);
    }
}

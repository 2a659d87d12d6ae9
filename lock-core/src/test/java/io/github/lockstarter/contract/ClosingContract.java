package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.spi.AcquireResult;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A closed backend answers every command and never grants a lock. */
public abstract class ClosingContract extends BackendContract {

    public ClosingContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void grantsNothingOnceClosed() {
        alice.backend().close();

        assertThat(alice.tryOnce(key, alice.newToken(), LEASE))
                .isInstanceOfAny(AcquireResult.Rejected.class, AcquireResult.Unknown.class);
    }

    @Test
    void answersEveryCommandOnceClosed() {
        SpiHold held = alice.hold(key, LEASE);
        alice.backend().close();

        assertThat(held.renew(LEASE)).isNotNull();
        assertThat(held.release()).isNotNull();
        assertThat(alice.withdraw(key, alice.newToken())).isNotNull();
    }

    @Test
    void canBeClosedTwice() {
        alice.backend().close();
        alice.backend().close();

        assertThat(alice.tryOnce(key, alice.newToken(), LEASE)).isNotInstanceOf(AcquireResult.Granted.class);
    }
}

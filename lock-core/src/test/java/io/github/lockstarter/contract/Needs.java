package io.github.lockstarter.contract;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.spi.StoreCapabilities.Signals;

/** What a test of the contract needs of a store: the test is reported as skipped where the store declares less. */
final class Needs {

    private final StoreCapabilities capabilities;

    private Needs(StoreCapabilities capabilities) {
        this.capabilities = capabilities;
    }

    static Needs of(LockStore store) {
        return new Needs(store.capabilities());
    }

    void signalsInOrder() {
        assumeThat(capabilities.signals()).as("signals of the store").isEqualTo(Signals.IN_ORDER);
    }

    void signals() {
        assumeThat(capabilities.signals()).as("signals of the store").isNotEqualTo(Signals.NONE);
    }

    void manyFencingTokens() {
        assumeThat(capabilities.fencingTokens())
                .as("fencing tokens of one grant")
                .isEqualTo(StoreCapabilities.ALL.fencingTokens());
    }

    void minimumTimes() {
        assumeThat(capabilities.minimumTimes()).as("minimum times").isTrue();
    }
}

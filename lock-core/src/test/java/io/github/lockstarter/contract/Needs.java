package io.github.lockstarter.contract;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.contract.LockStore.Signals;
import io.github.lockstarter.spi.StoreCapabilities;

/** Skips a test of the contract if the store does not declare the capability. */
final class Needs {

    private final LockStore store;
    private final StoreCapabilities capabilities;

    private Needs(LockStore store) {
        this.store = store;
        this.capabilities = store.capabilities();
    }

    static Needs of(LockStore store) {
        return new Needs(store);
    }

    void signalsInOrder() {
        assumeThat(store.signals()).as("signals of the store").isEqualTo(Signals.IN_ORDER);
    }

    void signals() {
        assumeThat(store.signals()).as("signals of the store").isNotEqualTo(Signals.NONE);
    }

    void manyFencingTokens() {
        assumeThat(capabilities.fencingTokens())
                .as("fencing tokens of one grant")
                .isEqualTo(StoreCapabilities.ALL.fencingTokens());
    }

    void minHold() {
        assumeThat(capabilities.minHold()).as("minimum holds").isTrue();
    }

    void tickets() {
        assumeThat(capabilities.tickets()).as("detached locks").isTrue();
    }

    void permits() {
        assumeThat(capabilities.permits()).as("locks with several permits").isTrue();
    }

    void readers() {
        assumeThat(capabilities.readers()).as("locks with readers").isTrue();
    }

    /** A session has no lease to report to another instance. */
    void leasesPerLock() {
        assumeThat(store.hasLeasesPerLock()).as("leases of the store").isTrue();
    }

    void newcomersAreLetIn() {
        assumeThat(store.letsNewcomersIn())
                .as("a newcomer may get the lock before the instance that was signalled")
                .isTrue();
    }

    void time() {
        assumeThat(store.clock())
                .as("clock of a store for which a test can let time pass")
                .isPresent();
    }

    void pauses() {
        assumeThat(store.commandTimeout())
                .as("command timeout of a store that can be paused")
                .isPresent();
    }

    void anyFencingTokenIsExceeded() {
        assumeThat(store.exceedsAnyFencingToken())
                .as("fencing tokens exceed any number")
                .isTrue();
    }
}

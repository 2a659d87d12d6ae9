package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;

/** A quorum of five nodes, two of which are down, against the contract. */
@Tag(Effort.FULL)
class RedlockTwoNodesDownContractTests extends StoreSuites {

    @Override
    protected LockStore store() {
        return new RedlockStore(3, 2);
    }

    @Override
    protected LockStore hastyStore() {
        return store();
    }
}

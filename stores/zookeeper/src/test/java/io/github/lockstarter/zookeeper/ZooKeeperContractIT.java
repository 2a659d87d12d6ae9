package io.github.lockstarter.zookeeper;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StoreSuites;
import java.time.Duration;

/** The store against the contract. */
class ZooKeeperContractIT extends StoreSuites {

    @Override
    protected LockStore store() {
        return new ZooKeeperStore();
    }

    @Override
    protected LockStore hastyStore() {
        return new ZooKeeperStore(Duration.ofSeconds(1));
    }
}

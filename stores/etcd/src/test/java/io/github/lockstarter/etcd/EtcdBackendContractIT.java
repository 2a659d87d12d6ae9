package io.github.lockstarter.etcd;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StoreSuites;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;

/** The etcd backend against the contract. */
class EtcdBackendContractIT extends StoreSuites {

    @BeforeAll
    static void needsAnEtcd() {
        EtcdPresence.assume();
    }

    @Override
    protected LockStore store() {
        return SharedEtcd.store();
    }

    @Override
    protected LockStore hastyStore() {
        return SharedEtcd.store(Duration.ofSeconds(1));
    }
}

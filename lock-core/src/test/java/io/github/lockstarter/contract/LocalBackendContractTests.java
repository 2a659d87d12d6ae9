package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** The in-JVM backend against the contract. */
class LocalBackendContractTests extends StoreSuites {

    @Override
    protected LockStore store() {
        return new LocalStore();
    }

    @Override
    protected LockStore hastyStore() {
        return store();
    }

    @Nested
    class FencingTokenRaise extends FencingTokenRaiseContract {
        FencingTokenRaise() {
            super(LocalStore::new);
        }
    }
}

package io.github.lockstarter.contract;

import org.junit.jupiter.api.Nested;

/** The engine over the in-JVM backend against the contract. */
class LocalEngineContractTests extends EngineSuites {

    @Override
    protected LockStore store() {
        return new LocalStore();
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineRestart extends EngineRestartContract {
        EngineRestart() {
            super(LocalStore::new);
        }
    }
}

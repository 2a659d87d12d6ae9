package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineRestartContract;
import io.github.lockstarter.contract.EngineSuites;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A quorum of five nodes against the contract. */
@Tag(Effort.SLOW)
class RedlockContractTests extends StoreSuites {

    @Override
    protected LockStore store() {
        return new RedlockStore(5, 0);
    }

    @Override
    protected LockStore hastyStore() {
        return store();
    }

    @Nested
    class EngineRestart extends EngineRestartContract {
        EngineRestart() {
            super(RedlockContractTests.this::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(RedlockContractTests.this::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Engines extends EngineSuites {

        @Override
        protected LockStore store() {
            return RedlockContractTests.this.store();
        }
    }
}

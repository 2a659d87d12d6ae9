package io.github.lockstarter.contract;

import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The engine over the in-JVM backend against the contract. */
class LocalEngineContractTests {

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(LocalStore::new);
        }
    }

    @Nested
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineMinimumTime extends EngineMinimumTimeContract {
        EngineMinimumTime() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EnginePermits extends EnginePermitsContract {
        EnginePermits() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineRestart extends EngineRestartContract {
        EngineRestart() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(LocalStore::new);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(LocalStore::new);
        }
    }
}

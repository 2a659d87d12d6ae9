package io.github.lockstarter.etcd;

import io.github.lockstarter.contract.AbandonedHoldContract;
import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineAdminContract;
import io.github.lockstarter.contract.EngineExtensionContract;
import io.github.lockstarter.contract.EngineForkJoinContract;
import io.github.lockstarter.contract.EngineHoldContract;
import io.github.lockstarter.contract.EngineInputContract;
import io.github.lockstarter.contract.EngineKeptContract;
import io.github.lockstarter.contract.EngineRenewalContract;
import io.github.lockstarter.contract.StackOverflowContract;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The engine over the etcd backend against the contract. */
@Tag(Effort.FULL)
class EtcdEngineContractIT {

    @BeforeAll
    static void needsAnEtcd() {
        EtcdPresence.assume();
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class EngineKept extends EngineKeptContract {
        EngineKept() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(SharedEtcd::store);
        }
    }
}

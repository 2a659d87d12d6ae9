package io.github.lockstarter.zookeeper;

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
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The engine over the store against the contract. */
@Tag(Effort.FULL)
class ZooKeeperEngineContractIT {

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class EngineKept extends EngineKeptContract {
        EngineKept() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(ZooKeeperStore::new);
        }
    }
}

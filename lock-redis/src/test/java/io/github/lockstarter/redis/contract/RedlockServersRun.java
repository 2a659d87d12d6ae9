package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineExtensionContract;
import io.github.lockstarter.contract.EngineHoldContract;
import io.github.lockstarter.contract.EngineInputContract;
import io.github.lockstarter.contract.EngineKeptContract;
import io.github.lockstarter.contract.EngineRenewalContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeptContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.TopologyExtension;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A quorum of five servers against the rest of the contract. Only by name, for time:
 * {@code -Dit.test=RedlockServersRun}.
 */
class RedlockServersRun {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static LockStore store() {
        return QuorumStore.of(REDIS.topology());
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class Kept extends KeptContract {
        Kept() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class EngineKept extends EngineKeptContract {
        EngineKept() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(RedlockServersRun::store);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(RedlockServersRun::store);
        }
    }
}

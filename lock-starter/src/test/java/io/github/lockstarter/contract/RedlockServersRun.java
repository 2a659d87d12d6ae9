package io.github.lockstarter.contract;

import io.github.lockstarter.testing.RedisQuorum;
import io.github.lockstarter.testing.TopologyExtension;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A quorum of five servers against the rest of the contract. Only by name, for time: {@code -Dit.test=RedlockServersRun}. */
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

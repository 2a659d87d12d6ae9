package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeptContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis backend, on the master among static nodes, against the contract. */
class RedisReplicationContractIT {

    @RegisterExtension
    static final TopologyExtension<RedisReplication> REDIS = TopologyExtension.replication();

    private static LockStore store() {
        return RedisStore.of(REDIS.topology()).with(RedisStore.patient(Duration.ZERO));
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Release extends ReleaseContract {
        Release() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Kept extends KeptContract {
        Kept() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Renew extends RenewContract {
        Renew() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Fencing extends FencingContract {
        Fencing() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Keys extends KeyContract {
        Keys() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Closing extends ClosingContract {
        Closing() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(RedisReplicationContractIT::store);
        }
    }
}

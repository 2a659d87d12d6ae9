package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.ReadersContract;
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
        return RedisStore.of(REDIS.topology()).with(RedisStore.guarding(Duration.ZERO));
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(RedisReplicationContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Readers extends ReadersContract {
        Readers() {
            super(RedisReplicationContractIT::store);
        }
    }
}

package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.MinimumHoldContract;
import io.github.lockstarter.contract.PermitsContract;
import io.github.lockstarter.contract.ReadersContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.RestartContract;
import io.github.lockstarter.contract.TicketContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis backend, on a cluster, against the contract. */
class RedisClusterContractIT {

    @RegisterExtension
    static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

    private static LockStore store() {
        return RedisStore.of(REDIS.topology()).with(RedisStore.guarding(Duration.ZERO));
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Release extends ReleaseContract {
        Release() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class MinimumHold extends MinimumHoldContract {
        MinimumHold() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Tickets extends TicketContract {
        Tickets() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Permits extends PermitsContract {
        Permits() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Renew extends RenewContract {
        Renew() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Fencing extends FencingContract {
        Fencing() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Keys extends KeyContract {
        Keys() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Restart extends RestartContract {
        Restart() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Closing extends ClosingContract {
        Closing() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Admin extends AdminContract {
        Admin() {
            super(RedisClusterContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Readers extends ReadersContract {
        Readers() {
            super(RedisClusterContractIT::store);
        }
    }
}

package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.CommandTimeoutContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.CollectingStore;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A quorum of five servers against the contract of every backend, as far as it is not the same as over simulated ones.
 * {@link RedlockContractTests} has the rest.
 */
class RedlockServersContractIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static LockStore store() {
        return QuorumStore.of(REDIS.topology());
    }

    /** A release that is collected takes effect before the vote that is sent behind it. */
    @Nested
    class CollectedRelease extends ReleaseContract {
        CollectedRelease() {
            super(() -> new CollectingStore(store()));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Acquire extends AcquireContract {
        Acquire() {
            super(RedlockServersContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(RedlockServersContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(() -> QuorumStore.of(REDIS.topology(), Duration.ofSeconds(1)));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Admin extends AdminContract {
        Admin() {
            super(RedlockServersContractIT::store);
        }
    }
}

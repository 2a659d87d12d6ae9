package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AbandonedHoldContract;
import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineAdminContract;
import io.github.lockstarter.contract.EngineExtensionContract;
import io.github.lockstarter.contract.EngineForkJoinContract;
import io.github.lockstarter.contract.EngineHoldContract;
import io.github.lockstarter.contract.EngineInputContract;
import io.github.lockstarter.contract.EngineMinimumTimeContract;
import io.github.lockstarter.contract.EnginePermitsContract;
import io.github.lockstarter.contract.EngineRenewalContract;
import io.github.lockstarter.contract.EngineRestartContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StackOverflowContract;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The engine over the Redis backend, on one server, against the contract. */
class RedisEngineContractIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static LockStore store() {
        return RedisStore.withClockOf(REDIS.server());
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineMinimumTime extends EngineMinimumTimeContract {
        EngineMinimumTime() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EnginePermits extends EnginePermitsContract {
        EnginePermits() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    class EngineRestart extends EngineRestartContract {
        EngineRestart() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(RedisEngineContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(RedisEngineContractIT::store);
        }
    }
}

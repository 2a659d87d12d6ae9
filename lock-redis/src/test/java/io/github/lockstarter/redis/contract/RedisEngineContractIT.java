package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineRestartContract;
import io.github.lockstarter.contract.EngineSuites;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The engine over the Redis backend, on one server, against the contract. */
class RedisEngineContractIT {

    @RegisterExtension
    static final RedisExtension REDIS = RedisExtension.withSettableClock();

    private static LockStore withClock() {
        return RedisStore.withClockOf(REDIS.server());
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(RedisEngineContractIT::withClock);
        }
    }

    @Nested
    class EngineRestart extends EngineRestartContract {
        EngineRestart() {
            super(RedisEngineContractIT::withClock);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Others extends EngineSuites {
        @Override
        protected LockStore store() {
            return withClock();
        }
    }
}

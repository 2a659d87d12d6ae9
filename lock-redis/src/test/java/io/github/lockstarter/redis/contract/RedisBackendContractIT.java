package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AbandonedHoldContract;
import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineAdminContract;
import io.github.lockstarter.contract.EngineForkJoinContract;
import io.github.lockstarter.contract.EngineHoldContract;
import io.github.lockstarter.contract.EngineInputContract;
import io.github.lockstarter.contract.EngineRenewalContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.RaiseContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.StackOverflowContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.redis.testing.RedisExtension;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis backend, on one server, against the contract. */
class RedisBackendContractIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static LockStore store() {
        return new RedisStore(REDIS.server().uri());
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Raise extends RaiseContract {
        Raise() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(RedisBackendContractIT::store);
        }
    }
}

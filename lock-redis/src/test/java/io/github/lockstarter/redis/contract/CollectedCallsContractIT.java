package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineHoldContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeptContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.RaiseContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.redis.testing.RedisExtension;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis backend, on one server, against the contract, where attempts and releases travel together. */
class CollectedCallsContractIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static LockStore store() {
        return new CollectingStore(new RedisStore(REDIS.server().uri()));
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    class Kept extends KeptContract {
        Kept() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    class Raise extends RaiseContract {
        Raise() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(CollectedCallsContractIT::store);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(CollectedCallsContractIT::store);
        }
    }
}

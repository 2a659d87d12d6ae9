package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.CommandTimeoutContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.FencingTokenRaiseContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.MinimumTimeContract;
import io.github.lockstarter.contract.PermitsContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.RestartContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.kit.redis.RedisExtension;
import java.time.Duration;
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
    class MinimumTime extends MinimumTimeContract {
        MinimumTime() {
            super(RedisBackendContractIT::store);
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
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
    class FencingTokenRaise extends FencingTokenRaiseContract {
        FencingTokenRaise() {
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
    class Restart extends RestartContract {
        Restart() {
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
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(() -> RedisStore.on(REDIS.server())
                    .with(RedisStore.guarding(Duration.ofSeconds(2), Duration.ofSeconds(1))));
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(RedisBackendContractIT::store);
        }
    }
}

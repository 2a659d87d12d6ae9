package io.github.lockstarter.etcd;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.CommandTimeoutContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.MinimumTimeContract;
import io.github.lockstarter.contract.PermitsContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.RestartContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The etcd backend against the contract. */
class EtcdBackendContractIT {

    @BeforeAll
    static void needsAnEtcd() {
        EtcdPresence.assume();
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class MinimumTime extends MinimumTimeContract {
        MinimumTime() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(SharedEtcd::store);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(() -> SharedEtcd.store(Duration.ofSeconds(1)));
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(SharedEtcd::store);
        }
    }
}

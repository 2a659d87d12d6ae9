package io.github.lockstarter.zookeeper;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.CommandTimeoutContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.MinimumTimeContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.RestartContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The store against the contract. */
class ZooKeeperContractIT {

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class MinimumTime extends MinimumTimeContract {
        MinimumTime() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(ZooKeeperStore::new);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(() -> new ZooKeeperStore(Duration.ofSeconds(1)));
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(ZooKeeperStore::new);
        }
    }
}

package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.MinimumHoldContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.RestartContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A quorum of five nodes, two of which are down, against the contract. */
@Tag(Effort.FULL)
class RedlockTwoNodesDownContractTests {

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class MinimumHold extends MinimumHoldContract {
        MinimumHold() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(RedlockStore.of(3, 2));
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(RedlockStore.of(3, 2));
        }
    }
}

package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.CommandTimeoutContract;
import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineAdminContract;
import io.github.lockstarter.contract.EngineExtensionContract;
import io.github.lockstarter.contract.EngineHoldContract;
import io.github.lockstarter.contract.EngineInputContract;
import io.github.lockstarter.contract.EngineMinimumHoldContract;
import io.github.lockstarter.contract.EngineRenewalContract;
import io.github.lockstarter.contract.EngineRestartContract;
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

/** A quorum of five nodes against the contract. */
@Tag(Effort.SLOW)
class RedlockContractTests {

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class MinimumHold extends MinimumHoldContract {
        MinimumHold() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineMinimumHold extends EngineMinimumHoldContract {
        EngineMinimumHold() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    class EngineRestart extends EngineRestartContract {
        EngineRestart() {
            super(RedlockStore.of(5));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(RedlockStore.of(5));
        }
    }
}

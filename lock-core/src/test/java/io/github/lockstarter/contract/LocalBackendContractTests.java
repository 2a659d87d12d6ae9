package io.github.lockstarter.contract;

import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The in-JVM backend against the contract. */
class LocalBackendContractTests {

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Raise extends RaiseContract {
        Raise() {
            super(LocalStore::new);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(LocalStore::new);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(LocalStore::new);
        }
    }

    @Nested
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(LocalStore::new);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(LocalStore::new);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(LocalStore::new);
        }
    }
}

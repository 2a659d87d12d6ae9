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
    class MinimumTime extends MinimumTimeContract {
        MinimumTime() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
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
    class FencingTokenRaise extends FencingTokenRaiseContract {
        FencingTokenRaise() {
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
    class Restart extends RestartContract {
        Restart() {
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
    @Tag(Effort.SLOW)
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(LocalStore::new);
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(LocalStore::new);
        }
    }
}

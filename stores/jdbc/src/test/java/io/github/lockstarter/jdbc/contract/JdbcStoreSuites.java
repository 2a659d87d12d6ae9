package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.ClosingContract;
import io.github.lockstarter.contract.CommandTimeoutContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.KeyContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.MinimumTimeContract;
import io.github.lockstarter.contract.PermitsContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.contract.RenewContract;
import io.github.lockstarter.contract.RestartContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The store against the contract, on any database. */
abstract class JdbcStoreSuites {

    /** A database that has the table; the same one for all tests of the class. */
    abstract TestDatabase database();

    private LockStore store() {
        return new JdbcStore(database());
    }

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class MinimumTime extends MinimumTimeContract {
        MinimumTime() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(JdbcStoreSuites.this::store);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(() -> JdbcStore.pausable(database(), Duration.ofSeconds(1)));
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(JdbcStoreSuites.this::store);
        }
    }
}

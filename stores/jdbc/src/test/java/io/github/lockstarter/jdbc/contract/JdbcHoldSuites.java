package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.contract.AbandonedHoldContract;
import io.github.lockstarter.contract.EngineExtensionContract;
import io.github.lockstarter.contract.EngineRenewalContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StackOverflowContract;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** The suites of the engine that take longest: holds that are renewed, lost or abandoned. */
abstract class JdbcHoldSuites {

    /** A database that has the table; the same one for all tests of the class. */
    abstract TestDatabase database();

    private LockStore store() {
        return new JdbcStore(database());
    }

    @Nested
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(JdbcHoldSuites.this::store);
        }
    }

    @Nested
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(JdbcHoldSuites.this::store);
        }
    }

    @Nested
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(JdbcHoldSuites.this::store);
        }
    }

    @Nested
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(JdbcHoldSuites.this::store);
        }
    }
}

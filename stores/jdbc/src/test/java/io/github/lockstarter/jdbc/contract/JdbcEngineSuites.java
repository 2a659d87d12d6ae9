package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.contract.EngineAcquireContract;
import io.github.lockstarter.contract.EngineAdminContract;
import io.github.lockstarter.contract.EngineForkJoinContract;
import io.github.lockstarter.contract.EngineHoldContract;
import io.github.lockstarter.contract.EngineInputContract;
import io.github.lockstarter.contract.EngineKeptContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import org.junit.jupiter.api.Nested;

/** The engine over the store against the contract, on any database. */
abstract class JdbcEngineSuites {

    /** A database that has the table; the same one for all tests of the class. */
    abstract TestDatabase database();

    private LockStore store() {
        return new JdbcStore(database());
    }

    @Nested
    class EngineAcquire extends EngineAcquireContract {
        EngineAcquire() {
            super(JdbcEngineSuites.this::store);
        }
    }

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(JdbcEngineSuites.this::store);
        }
    }

    @Nested
    class EngineKept extends EngineKeptContract {
        EngineKept() {
            super(JdbcEngineSuites.this::store);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(JdbcEngineSuites.this::store);
        }
    }

    @Nested
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(JdbcEngineSuites.this::store);
        }
    }

    @Nested
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(JdbcEngineSuites.this::store);
        }
    }
}

package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.StoreSuites;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import java.time.Duration;

/** The store against the contract, on any database. */
abstract class JdbcStoreSuites extends StoreSuites {

    /** A database that has the table; the same one for all tests of the class. */
    abstract TestDatabase database();

    @Override
    protected LockStore store() {
        return JdbcStore.sharing(database());
    }

    @Override
    protected LockStore hastyStore() {
        return JdbcStore.pausable(database(), Duration.ofSeconds(1));
    }
}

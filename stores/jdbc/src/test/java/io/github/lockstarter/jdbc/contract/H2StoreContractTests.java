package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.TestDatabase;

/** The store in H2, in this JVM. */
class H2StoreContractTests extends JdbcStoreSuites {

    private static final TestDatabase DATABASE = H2Databases.empty().prepared();

    @Override
    TestDatabase database() {
        return DATABASE;
    }
}

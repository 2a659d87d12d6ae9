package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store in PostgreSQL. */
class PostgresContractIT extends JdbcStoreSuites {

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    @Override
    TestDatabase database() {
        return POSTGRES.database();
    }
}

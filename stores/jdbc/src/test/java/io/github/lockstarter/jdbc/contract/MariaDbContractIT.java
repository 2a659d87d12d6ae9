package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.testing.MariaDb;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The store in MariaDB. */
@Tag(Effort.FULL)
class MariaDbContractIT extends JdbcStoreSuites {

    private static TestDatabase database;

    @BeforeAll
    static void create() {
        database = MariaDb.shared().create("contract", JdbcDialect.MARIADB).prepared();
    }

    @Override
    TestDatabase database() {
        return database;
    }
}

package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.testing.MariaDb;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The statements for MySQL, which MariaDB understands too: there are no binaries of MySQL for tests. */
@Tag(Effort.FULL)
class MySqlStatementsContractIT extends JdbcStoreSuites {

    private static TestDatabase database;

    @BeforeAll
    static void create() {
        database =
                MariaDb.shared().create("mysql_statements", JdbcDialect.MYSQL).prepared();
    }

    @Override
    TestDatabase database() {
        return database;
    }
}

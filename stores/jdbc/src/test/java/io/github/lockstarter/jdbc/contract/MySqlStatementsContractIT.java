package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.testing.MariaDb;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The statements for MySQL, which MariaDB understands too: there are no binaries of MySQL for tests. */
@Tag(Effort.FULL)
class MySqlStatementsContractIT extends JdbcStoreSuites {

    private static MariaDb server;
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        server = MariaDb.start();
        database = server.create("mysql_statements", JdbcDialect.MYSQL).prepared();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    TestDatabase database() {
        return database;
    }
}

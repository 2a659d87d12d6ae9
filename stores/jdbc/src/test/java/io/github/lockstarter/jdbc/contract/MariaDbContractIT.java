package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.testing.MariaDb;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The store in MariaDB. */
@Tag(Effort.FULL)
class MariaDbContractIT extends JdbcStoreSuites {

    private static MariaDb server;
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        server = MariaDb.start();
        database = server.database().prepared();
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

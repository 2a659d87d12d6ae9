package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.testing.Postgres;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The store in PostgreSQL. */
class PostgresContractIT extends JdbcStoreSuites {

    private static Postgres server;
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        server = Postgres.start();
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

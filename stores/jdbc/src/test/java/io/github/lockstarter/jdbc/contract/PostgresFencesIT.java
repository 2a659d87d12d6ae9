package io.github.lockstarter.jdbc.contract;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.fence.testing.FenceSuite;
import io.github.lockstarter.jdbc.testing.PostgresExtension;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Fences in PostgreSQL. */
class PostgresFencesIT extends FenceSuite {

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        pool = POSTGRES.database().pool(20);
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    @Override
    protected DataSource database() {
        return pool;
    }

    @Override
    protected String script() {
        return "postgresql.sql";
    }
}

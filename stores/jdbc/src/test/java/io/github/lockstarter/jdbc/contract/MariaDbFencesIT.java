package io.github.lockstarter.jdbc.contract;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.fence.testing.FenceSuite;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.testing.MariaDb;
import io.github.lockstarter.testing.Effort;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Fences in MariaDB, whose statements are those for MySQL. */
@Tag(Effort.FULL)
class MariaDbFencesIT extends FenceSuite {

    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        pool = MariaDb.shared().create("fences", JdbcDialect.MARIADB).pool(20);
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
        return "mysql.sql";
    }
}

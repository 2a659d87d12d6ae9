package io.github.lockstarter.fence;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.fence.testing.FenceSuite;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Fences in H2. */
class H2FencesTests extends FenceSuite {

    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=30000");
        pool.setMaximumPoolSize(20);
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
        return "h2.sql";
    }
}

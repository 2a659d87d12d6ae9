package io.github.lockstarter.benchmarks.client;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** HikariCP with its defaults, as Boot sets it up: ten connections. */
final class PostgresPool {

    /** Several JVMs that create a table at once would fail, although it says "if not exists". */
    private static final String ONE_AT_A_TIME = "select pg_advisory_xact_lock(1)";

    private PostgresPool() {}

    /** Connects, and creates tables that do not exist yet. */
    static HikariDataSource open(String url, String tables) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        HikariDataSource pool = new HikariDataSource(config);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(ONE_AT_A_TIME);
            statement.execute(tables);
            connection.commit();
            return pool;
        } catch (SQLException e) {
            pool.close();
            throw new IllegalStateException("Could not create tables", e);
        }
    }
}

package io.github.lockstarter.benchmarks.client;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.springframework.core.io.ClassPathResource;

/** HikariCP with its defaults, as Boot configures it: ten connections. */
final class PostgresPool {

    /** Held until the end of the transaction, since several JVMs may create the same table. */
    private static final String ONE_AT_A_TIME = "select pg_advisory_xact_lock(1)";

    private PostgresPool() {}

    /** Connects, and creates the table if needed. */
    static HikariDataSource open(String url, String table, String script) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        HikariDataSource pool = new HikariDataSource(config);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(ONE_AT_A_TIME);
            if (!exists(statement, table)) {
                statement.execute(new ClassPathResource(script).getContentAsString(StandardCharsets.UTF_8));
            }
            connection.commit();
            return pool;
        } catch (SQLException | IOException e) {
            pool.close();
            throw new IllegalStateException("Could not create " + table, e);
        }
    }

    private static boolean exists(Statement statement, String table) throws SQLException {
        try (ResultSet row = statement.executeQuery("select to_regclass('" + table + "') is not null")) {
            return row.next() && row.getBoolean(1);
        }
    }
}

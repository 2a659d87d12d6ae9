package io.github.lockstarter.jdbc.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.kit.server.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A database with the table for locks, as the script creates it.
 *
 * @param url how to connect
 * @param user name of a user who may do everything
 * @param dialect which script it got
 */
public record TestDatabase(String url, String user, JdbcDialect dialect) {

    /** The database of a server, which is empty at first. */
    public static TestDatabase of(PostgresServer server) {
        return new TestDatabase(server.url(), "postgres", JdbcDialect.POSTGRESQL);
    }

    /** Creates the table in a database that has none. */
    public TestDatabase prepared() {
        return preparedAfter();
    }

    /** Creates the table where statements have led to, such as to another schema. */
    public TestDatabase preparedAfter(String... statements) {
        Stream<String> script = Arrays.stream(
                        script().replaceAll("--[^\n]*", "").split(";"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty());
        execute(Stream.concat(Arrays.stream(statements), script).toArray(String[]::new));
        return this;
    }

    private String script() {
        try (var stream = getClass().getClassLoader().getResourceAsStream(dialect.script())) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Carries statements out, each in a transaction of its own. */
    public void execute(String... statements) {
        try (Connection connection = DriverManager.getConnection(url, user, "");
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The number that a query finds. */
    public long number(String query) {
        try (Connection connection = DriverManager.getConnection(url, user, "");
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A pool of its own; close it. */
    public HikariDataSource pool(int connections) {
        return pool(url, connections);
    }

    /** A pool of its own that connects to another address, such as a proxy. */
    public HikariDataSource pool(String address, int connections) {
        return pool(address, connections, config -> {});
    }

    /** A pool of its own that is configured further. */
    public HikariDataSource pool(String address, int connections, Consumer<HikariConfig> further) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address);
        config.setUsername(user);
        config.setPassword("");
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(20_000);
        config.setInitializationFailTimeout(-1);
        further.accept(config);
        return new HikariDataSource(config);
    }
}

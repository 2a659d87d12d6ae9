package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The statements for MariaDB: as for MySQL, with a sequence. */
final class MariaDbRows extends MySqlRows {

    MariaDbRows(Connection connection, LockTable table, Duration timeout) {
        super(connection, table, timeout);
    }

    @Override
    long draw() throws SQLException {
        return ask("SELECT NEXT VALUE FOR " + table.numbers()).orElseThrow();
    }

    /** MariaDB ignores a value that is not above the current one. */
    @Override
    void raise(long floor) throws SQLException {
        ask("SELECT SETVAL(" + table.numbers() + ", " + numberAbove(floor) + ")");
    }
}

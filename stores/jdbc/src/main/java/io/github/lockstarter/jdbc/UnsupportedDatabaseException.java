package io.github.lockstarter.jdbc;

import java.sql.SQLException;

/** The database is none of those that locks can be kept in. */
final class UnsupportedDatabaseException extends SQLException {

    UnsupportedDatabaseException(String product) {
        super("'" + product + "' is none of H2, PostgreSQL, MySQL and MariaDB; for one that understands the statements"
                + " of one of them, set distributed-lock.jdbc.dialect");
    }
}

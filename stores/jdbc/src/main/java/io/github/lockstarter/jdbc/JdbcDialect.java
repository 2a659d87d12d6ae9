package io.github.lockstarter.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** A supported database. */
public enum JdbcDialect {

    /** H2, from 2.0. */
    H2("h2.sql"),

    /** PostgreSQL, from 12. */
    POSTGRESQL("postgresql.sql"),

    /** MySQL, from 8.0. */
    MYSQL("mysql.sql"),

    /** MariaDB, from 10.6. */
    MARIADB("mariadb.sql");

    private static final String FOLDER = "io/github/lockstarter/jdbc/";

    private final String script;

    JdbcDialect(String script) {
        this.script = script;
    }

    /** {@return the class path name of the script that creates the table, for a migration tool} */
    public String script() {
        return FOLDER + script;
    }

    /**
     * {@return the dialect of a database; empty if unsupported}
     *
     * <p>Rejects TiDB, which reports itself as MySQL: its {@code AUTO_INCREMENT} values are not ordered across servers.
     *
     * @param database driver's metadata
     * @throws SQLException when the driver fails
     */
    public static Optional<JdbcDialect> of(DatabaseMetaData database) throws SQLException {
        String product = database.getDatabaseProductName().toLowerCase(Locale.ROOT);
        String version = database.getDatabaseProductVersion().toLowerCase(Locale.ROOT);
        if (product.equals("h2")) {
            return Optional.of(H2);
        }
        if (product.equals("postgresql")) {
            return Optional.of(POSTGRESQL);
        }
        // MySQL's driver reports MariaDB servers as MySQL.
        if (product.contains("mariadb") || (product.equals("mysql") && version.contains("mariadb"))) {
            return Optional.of(MARIADB);
        }
        return product.equals("mysql") && !version.contains("tidb") ? Optional.of(MYSQL) : Optional.empty();
    }
}

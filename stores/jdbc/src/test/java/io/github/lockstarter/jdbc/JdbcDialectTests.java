package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Databases as reported by drivers. */
class JdbcDialectTests {

    @ParameterizedTest
    @CsvSource({
        "H2, 2.4.240 (2025-09-22), H2",
        "PostgreSQL, 17.6, POSTGRESQL",
        "MySQL, 8.4.6, MYSQL",
        "MySQL, 8.0.35-27 (Percona Server), MYSQL",
        "MariaDB, 11.4.5-MariaDB, MARIADB",
        "MySQL, 5.5.5-10.11.6-MariaDB-0+deb12u1, MARIADB",
    })
    void recognisesADatabaseByItsNameAndVersion(String product, String version, JdbcDialect dialect)
            throws SQLException {
        assertThat(JdbcDialect.of(database(product, version))).hasValue(dialect);
    }

    @ParameterizedTest
    @CsvSource({"MySQL, 8.0.11-TiDB-v8.5.1", "Oracle, 23ai", "Microsoft SQL Server, 16.00"})
    void rejectsADatabaseWithUnorderedSequencesOrOtherStatements(String product, String version) throws SQLException {
        assertThat(JdbcDialect.of(database(product, version))).isEqualTo(Optional.empty());
    }

    private static DatabaseMetaData database(String product, String version) {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                DatabaseMetaData.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, called, arguments) -> called.getName().equals("getDatabaseProductName") ? product : version);
    }
}

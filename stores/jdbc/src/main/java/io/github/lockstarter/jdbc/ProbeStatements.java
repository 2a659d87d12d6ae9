package io.github.lockstarter.jdbc;

import java.sql.SQLException;
import java.util.Optional;

/** Asks whether the table can be used, and changes nothing; the answer is what is wrong, or empty. */
record ProbeStatements() implements JdbcCommand<Optional<String>> {

    @Override
    public Optional<String> execute(LockRows rows) throws SQLException {
        rows.probe();
        return Optional.empty();
    }

    @Override
    public Optional<String> refused(SqlFailure failure, Throwable cause) {
        return Optional.of(failure.reason());
    }

    @Override
    public Optional<String> unknown(String reason, Throwable cause) {
        return Optional.of(reason);
    }
}

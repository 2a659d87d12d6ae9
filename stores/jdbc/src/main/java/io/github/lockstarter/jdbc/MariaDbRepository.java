package io.github.lockstarter.jdbc;

import java.sql.SQLException;
import java.util.OptionalLong;

/** MariaDB: as MySQL, with a sequence. */
final class MariaDbRepository extends MySqlRepository {

    MariaDbRepository(JdbcSession session, LockTable table) {
        super(session, table);
    }

    /** Draws and writes the number in one statement, which returns it as the last insert ID. */
    @Override
    OptionalLong number(String key, String token, long seen, int tokens) throws SQLException {
        return session.changeGenerating(
                "UPDATE " + table.name() + " SET fencing_token = LAST_INSERT_ID((NEXT VALUE FOR " + table.numbers()
                        + " - 1) * " + TOKENS_OF_A_NUMBER
                        + " + ?) WHERE lock_key = ? AND owner = ? AND fencing_token = ?",
                (long) tokens,
                key,
                token,
                seen);
    }

    /** A sequence stores none. */
    @Override
    void forgetNumbers(long below) {}

    /** MariaDB ignores a value that is not above the current one. */
    @Override
    void raise(long floor) throws SQLException {
        session.ask("SELECT SETVAL(" + table.numbers() + ", " + numberAbove(floor) + ")");
    }
}

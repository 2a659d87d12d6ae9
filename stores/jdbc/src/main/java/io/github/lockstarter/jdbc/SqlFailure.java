package io.github.lockstarter.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;

/**
 * What an exception of a statement means: whether the statement may have been executed, and what to do.
 *
 * @param kind what it means
 * @param problem what failed, without a full stop
 * @param remedy what to change; empty if there is nothing
 */
record SqlFailure(Kind kind, String problem, String remedy) {

    private static final Set<String> MISSING_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");
    private static final Set<String> READ_ONLY = Set.of("25006", "90097");
    private static final Set<Integer> READ_ONLY_CODES = Set.of(90097, 1290, 1792, 1836);
    private static final Set<String> MISSING_RIGHTS = Set.of("42501", "90096");
    private static final Set<Integer> MISSING_RIGHTS_CODES = Set.of(90096, 1044, 1142, 1143, 1370);
    private static final Set<String> UNABLE = Set.of("57P01", "57P02", "57P03");

    /** H2: a timeout of a lock, a change by another connection. MySQL and MariaDB: a timeout of a lock, a deadlock. */
    private static final Set<Integer> RETRY_CODES = Set.of(50200, 90131, 1205, 1213);

    /** Of PostgreSQL and MariaDB: a table, a sequence or a function is not there. H2: a table, a sequence. */
    private static final Set<Integer> MISSING_TABLE_CODES = Set.of(1146, 42102, 42103, 42104, 90036, 4091);

    /**
     * A connection or a command that the server turned down: a wrong login, no room for another connection, no memory
     * or disk, a limit, or a server that starts.
     */
    private static final Set<String> TURNED_DOWN = Set.of("28", "53", "54");

    private static final Set<String> TURNED_DOWN_STATES = Set.of("08004", "57P03");

    /** What helps a holder whose work has all connections. */
    static final String LARGER_POOL =
            "Enlarge the connection pool, or mark one for locks alone with @DistributedLockDataSource";

    /** What is known of the statement. */
    enum Kind {
        /** Not executed, because of another transaction: at once again. */
        RETRY,
        /** Not executed, and will not be before somebody changes something. */
        REFUSED,
        /** Not executed: the database cannot carry it out at the moment. */
        UNAVAILABLE,
        /** Perhaps executed. */
        UNKNOWN
    }

    static SqlFailure of(SQLException failure, Optional<JdbcDialect> dialect, LockTable table) {
        String state = Optional.ofNullable(failure.getSQLState()).orElse("");
        int code = failure.getErrorCode();
        String message = firstLine(failure);
        String script = dialect.map(known -> "the script " + known.script()).orElse("its script");
        if (state.startsWith("40") || RETRY_CODES.contains(code)) {
            return new SqlFailure(Kind.RETRY, "The database gave the statement up for another one: " + message, "");
        }
        if (READ_ONLY.contains(state) || READ_ONLY_CODES.contains(code)) {
            return new SqlFailure(
                    Kind.UNAVAILABLE,
                    "The database is read-only: " + message,
                    "Connect to the primary server, which takes writes");
        }
        if (MISSING_TABLE.contains(state) || MISSING_TABLE_CODES.contains(code)) {
            return new SqlFailure(
                    Kind.REFUSED,
                    "The table '" + table.name() + "' or '" + table.numbers()
                            + "', which numbers the grants, is missing: " + message,
                    "Set distributed-lock.jdbc.initialize-schema=always, or create both with " + script
                            + " on the class path, or name another table in distributed-lock.jdbc.table");
        }
        if (MISSING_RIGHTS.contains(state) || MISSING_RIGHTS_CODES.contains(code)) {
            return new SqlFailure(
                    Kind.REFUSED,
                    "The database refuses the user a right: " + message,
                    "Grant SELECT, INSERT, UPDATE and DELETE on '" + table.name() + "', and the use of '"
                            + table.numbers() + "'");
        }
        if (UNABLE.contains(state)) {
            return new SqlFailure(Kind.UNKNOWN, "The database shuts down or starts: " + message, "");
        }
        if (state.startsWith("42") || state.startsWith("22") || state.startsWith("23") || state.startsWith("0A")) {
            return new SqlFailure(
                    Kind.REFUSED, "The database refused a statement: " + message, "Compare the table with " + script);
        }
        return new SqlFailure(Kind.UNKNOWN, "The database gave no answer: " + message, "");
    }

    /** Whether the server has answered, though not to the command; also with the last cause of a pool. */
    static boolean isTurnedDown(SQLException failure) {
        String state = Optional.ofNullable(failure.getSQLState()).orElse("");
        return failure instanceof UnsupportedDatabaseException
                || TURNED_DOWN_STATES.contains(state)
                || TURNED_DOWN.stream().anyMatch(state::startsWith)
                || (failure.getCause() instanceof SQLException cause && isTurnedDown(cause));
    }

    /** No connection could be had, so nothing was sent. */
    static SqlFailure unconnected(SQLException failure) {
        String state = Optional.ofNullable(failure.getSQLState()).orElse("");
        boolean isStarting = UNABLE.contains(state);
        // HikariCP adds why it could not open one, if it tried.
        boolean isPoolExhausted = failure instanceof SQLTransientConnectionException && failure.getCause() == null;
        return new SqlFailure(
                isStarting ? Kind.UNAVAILABLE : Kind.REFUSED,
                (isPoolExhausted
                                ? "The connection pool is exhausted: "
                                : "No connection to the database could be had: ")
                        + firstLine(failure),
                isPoolExhausted ? LARGER_POOL : "");
    }

    /** Without the statement, which H2 adds. */
    private static String firstLine(SQLException failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return message.lines()
                .findFirst()
                .orElse("")
                .replaceFirst("[;,] SQL statement:$", "")
                .replaceFirst("\\.$", "");
    }

    /** For a message: what failed, and what to change. */
    String reason() {
        return remedy.isEmpty() ? problem : problem + ". " + remedy;
    }
}

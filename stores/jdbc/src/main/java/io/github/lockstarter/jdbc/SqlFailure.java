package io.github.lockstarter.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;

/**
 * A failed command.
 *
 * @param kind whether statements may have been executed
 * @param problem without a full stop
 * @param remedy change to make; empty if there is none
 * @param cause driver's or the pool's failure
 */
record SqlFailure(Kind kind, String problem, String remedy, Throwable cause) {

    // SQL states, and error codes of H2, MySQL and MariaDB, whose length or range differs from states.

    /** Lock timeouts and deadlocks; in H2 also concurrent changes. */
    private static final Set<String> RETRY = Set.of("50200", "90131", "1205", "1213");

    private static final Set<String> READ_ONLY = Set.of("25006", "90097", "1290", "1792", "1836");

    /** Includes a missing sequence, or a function that it needs. */
    private static final Set<String> MISSING_TABLE =
            Set.of("42P01", "42S02", "42S03", "42S04", "42102", "42103", "42104", "90036", "1146", "4091");

    private static final Set<String> MISSING_RIGHTS = Set.of("42501", "90096", "1044", "1142", "1143", "1370");
    private static final Set<String> SHUTS_DOWN_OR_STARTS = Set.of("57P01", "57P02", "57P03");

    /** State for an unsupported database. */
    static final String NOT_SUPPORTED = "0A000";

    /** Classes: syntax errors, wrong values, constraints, unsupported features. */
    private static final Set<String> REFUSED = Set.of("42", "22", "23", "0A");

    /** Classes and states: wrong login, too many connections, no memory or disk, a limit, startup. */
    private static final Set<String> TURNED_DOWN = Set.of("28", "53", "54", "08004", "57P03");

    static final String LARGER_POOL =
            "Enlarge the connection pool, or mark one for locks alone with @DistributedLockDataSource";

    enum Kind {
        /** Not executed because of another transaction; repeat at once. */
        RETRY,
        /** Not executed; a repetition fails until an operator changes the cause. */
        REFUSED,
        /** Not executed; the database cannot do it at the moment. */
        UNAVAILABLE,
        /** Possibly executed. */
        UNKNOWN
    }

    static SqlFailure of(SQLException failure, Optional<JdbcDialect> dialect, LockTable table) {
        String script = dialect.map(known -> "the script " + known.script()).orElse("its script");
        if (state(failure).startsWith("40") || isAmong(RETRY, failure)) {
            return of(failure, Kind.RETRY, "The database gave the statement up for another one", "");
        }
        if (isAmong(READ_ONLY, failure)) {
            return of(
                    failure,
                    Kind.UNAVAILABLE,
                    "The database is read-only",
                    "Connect to the primary server, which takes writes");
        }
        if (isAmong(MISSING_TABLE, failure)) {
            return of(
                    failure,
                    Kind.REFUSED,
                    "The table '" + table.name() + "' or '" + table.numbers()
                            + "', which numbers the grants, is missing",
                    "Set distributed-lock.jdbc.initialize-schema=always, or create both with " + script
                            + " on the class path, or name another table in distributed-lock.jdbc.table");
        }
        if (isAmong(MISSING_RIGHTS, failure)) {
            return of(
                    failure,
                    Kind.REFUSED,
                    "The database refuses the user a right",
                    "Grant SELECT, INSERT, UPDATE and DELETE on '" + table.name() + "', and on '" + table.numbers()
                            + "' the rights that " + script + " names");
        }
        if (isAmong(SHUTS_DOWN_OR_STARTS, failure)) {
            return of(failure, Kind.UNKNOWN, "The database shuts down or starts", "");
        }
        return REFUSED.stream().anyMatch(state(failure)::startsWith)
                ? of(failure, Kind.REFUSED, "The database refused a statement", "Compare the table with " + script)
                : of(failure, Kind.UNKNOWN, "The database gave no answer", "");
    }

    private static SqlFailure of(SQLException failure, Kind kind, String problem, String remedy) {
        return new SqlFailure(kind, problem + ": " + firstLine(failure), remedy, failure);
    }

    private static boolean isAmong(Set<String> known, SQLException failure) {
        return known.contains(state(failure)) || known.contains(String.valueOf(failure.getErrorCode()));
    }

    private static String state(SQLException failure) {
        return Optional.ofNullable(failure.getSQLState()).orElse("");
    }

    /** Whether the server responded with a refusal, also as the cause of a pool's failure. */
    static boolean isTurnedDown(SQLException failure) {
        return TURNED_DOWN.stream().anyMatch(state(failure)::startsWith)
                || (failure.getCause() instanceof SQLException cause && isTurnedDown(cause));
    }

    /** No connection was available, so nothing was sent. */
    static SqlFailure unconnected(SQLException failure) {
        // HikariCP sets a cause if it failed to open a connection.
        boolean poolExhausted = failure instanceof SQLTransientConnectionException && failure.getCause() == null;
        return of(
                failure,
                isAmong(SHUTS_DOWN_OR_STARTS, failure) ? Kind.UNAVAILABLE : Kind.REFUSED,
                poolExhausted ? "The connection pool is exhausted" : "No connection to the database could be had",
                poolExhausted ? LARGER_POOL : "");
    }

    static SqlFailure ofTable(String problem, String remedy) {
        return new SqlFailure(Kind.REFUSED, problem, remedy, new IllegalStateException(problem));
    }

    SqlFailure ofUnknownOutcome() {
        return new SqlFailure(Kind.UNKNOWN, problem, remedy, cause);
    }

    /** Removes the statement, which H2 appends. */
    private static String firstLine(SQLException failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return message.lines()
                .findFirst()
                .orElse("")
                .replaceFirst("[;,] SQL statement:$", "")
                .replaceFirst("\\.$", "");
    }

    String reason() {
        return remedy.isEmpty() ? problem : problem + ". " + remedy;
    }
}

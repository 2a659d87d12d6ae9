package io.github.lockstarter.jdbc.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Crowd;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A JVM whose threads increment a number in the database without a transaction: each reads it, and writes it plus one.
 * Arguments: database, threads, increments per thread, whether under a lock. Prints {@code late} if the fencing token
 * is not above the previous one.
 */
final class IncrementingJvm {

    private static final LockRequest REQUEST = LockRequest.of("counter").waitingUpTo(Duration.ofSeconds(90));

    private IncrementingJvm() {}

    public static void main(String[] arguments) {
        ChildClient client = ChildClient.of(arguments, Duration.ofSeconds(20));
        int threads = Integer.parseInt(arguments[3]);
        int increments = Integer.parseInt(arguments[4]);
        boolean isLocked = Boolean.parseBoolean(arguments[5]);
        ThreadLocal<Connection> connections = ThreadLocal.withInitial(() -> connect(client.database()));
        System.out.println("ready");
        Crowd.of(threads).eachRuns(increments, () -> {
            if (isLocked) {
                try (LockHandle held = client.application().locks().acquire(REQUEST)) {
                    increment(connections.get(), held.fencingToken());
                }
            } else {
                increment(connections.get(), 0);
            }
        });
        System.out.println("done");
        System.exit(0);
    }

    private static Connection connect(TestDatabase database) {
        try {
            return DriverManager.getConnection(database.url(), database.user(), "");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void increment(Connection connection, long fencingToken) {
        try (Statement statement = connection.createStatement();
                ResultSet seen = statement.executeQuery("SELECT n, fence FROM counter")) {
            seen.next();
            long next = seen.getLong(1) + 1;
            if (fencingToken != 0 && fencingToken <= seen.getLong(2)) {
                System.out.println("late " + fencingToken);
            }
            statement.executeUpdate("UPDATE counter SET n = " + next + ", fence = " + fencingToken);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

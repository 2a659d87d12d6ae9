package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.server.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** One PostgreSQL server. The workers have only the permissions of the table's script. */
public final class Postgres implements Topology {

    /** The user of the workers; the lab's own connections are the superuser's. */
    public static final String WORKERS = "workers";

    private static final String SCRIPT = "/io/github/lockstarter/jdbc/postgresql.sql";
    private static final String RIGHTS = "CREATE ROLE " + WORKERS + " LOGIN;"
            + " GRANT SELECT, INSERT, UPDATE, DELETE ON distributed_lock TO " + WORKERS + ";"
            + " GRANT USAGE ON SEQUENCE distributed_lock_fencing TO " + WORKERS
            + "; ALTER ROLE postgres SET default_transaction_read_only = off";

    /** The row that keeps a floor of the fencing tokens stays. */
    private static final String ROWS = "SELECT 'row ' || lock_key FROM distributed_lock WHERE lock_key NOT LIKE '\\%%'"
            + " AND lock_until > now() + INTERVAL '1 millisecond' * ";

    private static final String CONNECTIONS =
            "SELECT 'connection ' || pid || ' ' || query FROM pg_stat_activity" + " WHERE usename = '" + WORKERS + "'";

    private final PostgresServer server = PostgresServer.start();

    /** Starts the server and makes the table; close it. */
    public Postgres() {
        execute(script());
        execute(RIGHTS);
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.PROXIED, Trait.DURABLE, Trait.ALONE, Trait.HALF_OPEN, Trait.TERMINATION, Trait.DEMOTION);
    }

    @Override
    public List<PostgresServer> servers() {
        return List.of(server);
    }

    @Override
    public Link link() {
        TcpProxy proxy = TcpProxy.before(server);
        return new Link(Address.of(Address.Kind.POSTGRESQL, List.of(proxy)), List.of(proxy));
    }

    @Override
    public void terminate(ServerProcess one, Set<Integer> ports) {
        String wanted = ports.stream().map(String::valueOf).collect(Collectors.joining(", "));
        ask("SELECT CAST(pg_terminate_backend(pid) AS TEXT) FROM pg_stat_activity WHERE usename = '" + WORKERS
                + "' AND client_port IN (" + (wanted.isEmpty() ? "0" : wanted) + ")");
    }

    /** A setting of the role counts for new connections only, and hides that of the server. */
    @Override
    public void demote() {
        execute("ALTER ROLE " + WORKERS + " SET default_transaction_read_only = off");
        execute("ALTER SYSTEM SET default_transaction_read_only = on");
        ask("SELECT CAST(pg_reload_conf() AS TEXT)");
    }

    /** A row that is over is taken over by the next grant of its key, or deleted within hours. */
    @Override
    public List<String> leftovers(Duration longestLease) {
        List<String> left = new ArrayList<>(ask(ROWS + longestLease.toMillis()));
        left.addAll(ask(CONNECTIONS));
        return left;
    }

    private static String script() {
        try (InputStream script = Postgres.class.getResourceAsStream(SCRIPT)) {
            if (script == null) {
                throw new IllegalStateException("No script " + SCRIPT);
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + SCRIPT, e);
        }
    }

    private void execute(String statements) {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(statements);
        } catch (SQLException e) {
            throw new IllegalStateException("Could not make the table", e);
        }
    }

    private List<String> ask(String query) {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> answer = new ArrayList<>();
            while (rows.next()) {
                answer.add(rows.getString(1));
            }
            return answer;
        } catch (SQLException e) {
            throw new IllegalStateException("Could not ask the database: " + query, e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

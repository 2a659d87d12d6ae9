package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The steps of a grant, interleaved: two owners on two connections. */
class LockRepositoryTests {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration OVER_AT_ONCE = Duration.ofNanos(1_000);
    private static final String KEY = "key";

    private final TestDatabase database = H2Databases.empty().prepared();
    private Connection first;
    private Connection second;
    private LockRepository alice;
    private LockRepository bob;

    @BeforeEach
    void connect() throws SQLException {
        first = DriverManager.getConnection(database.url(), database.user(), "");
        second = DriverManager.getConnection(database.url(), database.user(), "");
        alice = new H2Repository(new JdbcSession(first, LONG), LockTable.DEFAULT);
        bob = new H2Repository(new JdbcSession(second, LONG), LockTable.DEFAULT);
    }

    @AfterEach
    void disconnect() throws SQLException {
        first.close();
        second.close();
    }

    @Test
    void assignsNoTokenToAnOwnerWhoseRowWasTakenOver() throws SQLException {
        assertThat(alice.insert(KEY, "alice", OVER_AT_ONCE)).isTrue();
        takeOver();
        OptionalLong ofBob = bob.number(KEY, "bob", 0, 1);

        assertThat(ofBob).isPresent();
        assertThat(alice.number(KEY, "alice", 0, 1)).isEmpty();
        assertThat(alice.find(KEY)).hasValueSatisfying(row -> {
            assertThat(row.owner()).hasValue("bob");
            assertThat(row.fencingToken()).isEqualTo(ofBob.getAsLong());
        });
    }

    /** Between the two steps of one owner, another one comes and goes; its number must not be greater. */
    @Test
    void assignsTheLaterOwnerTheHigherTokenEvenIfItStartedFirst() throws SQLException {
        alice.insert(KEY, "alice", OVER_AT_ONCE);
        takeOver();
        long ofBob = bob.number(KEY, "bob", 0, 3).getAsLong();
        bob.free(KEY, "bob");

        assertThat(alice.number(KEY, "alice", 0, 1)).isEmpty();
        assertThat(alice.insert(KEY, "alice", LONG)).isTrue();
        assertThat(alice.number(KEY, "alice", 0, 1).getAsLong()).isGreaterThan(ofBob);
    }

    @Test
    void aProbeNamesTheFailureOfTheGrantIfTheConnectionBreaks() {
        Connection breaking = breakingAt("NEXT VALUE");
        LockRepository probing = new H2Repository(new JdbcSession(breaking, LONG), LockTable.DEFAULT);

        assertThatThrownBy(probing::probe).hasMessage("broken").satisfies(failure -> assertThat(failure.getSuppressed())
                .hasSize(1));
    }

    private Connection breakingAt(String sql) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement") && ((String) arguments[0]).contains(sql)) {
                        first.close();
                        throw new SQLException("broken", "08006");
                    }
                    try {
                        return method.invoke(first, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void assignsATokenToAGrantOnce() throws SQLException {
        alice.insert(KEY, "alice", LONG);

        assertThat(alice.number(KEY, "alice", 0, 1)).isPresent();
        assertThat(alice.number(KEY, "alice", 0, 1)).isEmpty();
    }

    @Test
    void reservesAllTokensOfAGrantForAnyIncrementOfTheSequence() throws SQLException {
        alice.insert(KEY, "alice", LONG);
        long last =
                alice.number(KEY, "alice", 0, LockRepository.TOKENS_OF_A_NUMBER).getAsLong();
        bob.insert("other", "bob", LONG);

        assertThat(bob.number("other", "bob", 0, 1).getAsLong()).isGreaterThan(last);
    }

    @Test
    void deletesOnlyRowsThatEndedLongAgo() throws SQLException {
        alice.raise(1_000_000);
        alice.insert("over", "alice", OVER_AT_ONCE);
        alice.insert("held", "alice", LONG);
        await().untilAsserted(() -> assertThat(alice.find("over"))
                .hasValueSatisfying(row -> assertThat(row.isExpired()).isTrue()));

        alice.sweep(LONG);
        assertThat(alice.find("over")).isPresent();
        alice.sweep(Duration.ZERO);

        assertThat(alice.find("over")).isEmpty();
        assertThat(alice.find("held")).isPresent();
        bob.insert(KEY, "bob", LONG);
        assertThat(bob.number(KEY, "bob", 0, 1).getAsLong()).isGreaterThan(1_000_000);
    }

    private void takeOver() {
        await().untilAsserted(() -> assertThat(bob.takeOver(KEY, "bob", LONG)).isTrue());
    }
}

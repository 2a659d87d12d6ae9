package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Slots;
import io.github.lockstarter.spi.StoredKeys;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Statements of an attempt for one of several slots, with interleaved changes. */
class SlotStatementsTests {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final List<String> SLOTS = new StoredKeys("").of("key", Slots.first(3));

    private final TestDatabase database = H2Databases.empty().prepared();
    private final List<String> statements = new ArrayList<>();
    private Connection connection;
    private LockRepository rival;
    private LockRepository locks;
    private long sequence;

    /** Before the next insertion. */
    private Optional<String> taken = Optional.empty();

    @BeforeEach
    void connect() throws SQLException {
        connection = DriverManager.getConnection(database.url(), database.user(), "");
        rival = new H2Repository(new JdbcSession(connection, LONG), LockTable.DEFAULT);
        Connection watched = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        String statement = (String) arguments[0];
                        statements.add(statement.substring(0, statement.indexOf(' ')));
                        if (statement.startsWith("INSERT") && taken.isPresent()) {
                            rival.insert(taken.get(), "rival", LONG);
                            taken = Optional.empty();
                        }
                    }
                    return method.invoke(connection, arguments);
                });
        locks = new H2Repository(new JdbcSession(watched, LONG), LockTable.DEFAULT);
    }

    @AfterEach
    void disconnect() throws SQLException {
        connection.close();
    }

    @Test
    void readsAllSlotsInOneStatementAndTakesAFreeOne() throws SQLException {
        assertSlot(0, acquire(3));
        assertThat(statements).containsExactly("SELECT", "INSERT", "SELECT");
    }

    @Test
    void readsNoSlotsForASinglePermit() throws SQLException {
        assertSlot(0, acquire(1));
        assertThat(statements).containsExactly("INSERT", "SELECT");
    }

    @Test
    void sendsNoOtherStatementWhenAllSlotsAreTaken() throws SQLException {
        for (String slot : SLOTS) {
            rival.insert(slot, "rival", slot.equals(SLOTS.get(1)) ? LONG.dividedBy(2) : LONG);
        }

        AcquireResult result = acquire(3);

        assertThat(result).isInstanceOfSatisfying(AcquireResult.Contended.class, contended -> assertThat(
                        contended.remainingLease().orElseThrow())
                .as("of the one that ends first")
                .isLessThanOrEqualTo(LONG.dividedBy(2)));
        assertThat(statements).containsExactly("SELECT");
    }

    @Test
    void takesTheNextSlotWhenAnotherInstanceTakesTheFirst() throws SQLException {
        taken = Optional.of(SLOTS.get(0));

        assertSlot(1, acquire(3));
        assertThat(rival.find(SLOTS.get(0)).flatMap(LockRow::owner)).hasValue("rival");
    }

    @Test
    void isContendedWhenAnotherInstanceTakesTheLastSlot() throws SQLException {
        rival.insert(SLOTS.get(0), "rival", LONG);
        rival.insert(SLOTS.get(1), "rival", LONG);
        taken = Optional.of(SLOTS.get(2));

        assertThat(acquire(3)).isInstanceOf(AcquireResult.Contended.class);
    }

    @Test
    void takesOverTheSlotOfACrashedOwner() throws SQLException {
        rival.insert(SLOTS.get(0), "rival", LONG);
        rival.insert(SLOTS.get(1), "crashed", Duration.ofNanos(1_000));
        await().until(() -> rival.find(SLOTS.get(1)).orElseThrow().isExpired());

        assertSlot(1, acquire(3));
    }

    private static void assertSlot(int slot, AcquireResult result) {
        assertThat(result).isInstanceOfSatisfying(AcquireResult.Granted.class, granted -> assertThat(granted.slot())
                .isEqualTo(slot));
    }

    private AcquireResult acquire(int permits) throws SQLException {
        LockToken token = new LockToken("0123456789abcdef0123456789abcdef", ++sequence);
        AcquireCommand command = new AcquireCommand(
                "key", token, LONG, 0, 1, Optional.empty(), Duration.ZERO, permits, Optional.empty());
        return locks.trySlots(SLOTS.subList(0, permits), command);
    }
}

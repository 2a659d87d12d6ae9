package io.github.lockstarter.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.fence.FencedApplication.Place;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.server.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** A JVM is paused (SIGSTOP) for longer than its lease, and another one gets the lock; the data is in PostgreSQL. */
@Tag("full")
class PausedHolderIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static PostgresServer postgres;
    private static DriverManagerDataSource database;

    private final List<ChildJvm> all = new ArrayList<>();
    private final JdbcTemplate jdbc = new JdbcTemplate(database);

    @BeforeAll
    static void startPostgres() {
        postgres = PostgresServer.start();
        database = new DriverManagerDataSource(postgres.url(), "postgres", "");
        new ResourceDatabasePopulator(new ClassPathResource("postgresql.sql", Fences.class)).execute(database);
    }

    @AfterAll
    static void stopPostgres() {
        postgres.close();
    }

    @BeforeEach
    void openAccount() {
        jdbc.execute("DROP TABLE IF EXISTS account");
        jdbc.execute("CREATE TABLE account (balance INT)");
        jdbc.update("INSERT INTO account VALUES (0)");
    }

    @AfterEach
    void kill() {
        all.forEach(ChildJvm::close);
    }

    @Test
    void theWriteOfAPausedHolderIsRefusedAfterTheNextHolder() {
        ChildJvm paused = pauseAt(Place.BEFORE_THE_FIRST_STATEMENT, true);
        awaitDone(start(Place.NOWHERE, true));
        paused.resume();

        assertThat(end(paused)).isEqualTo(FencedApplication.REFUSED + "OvertakenException");
        assertThat(balance()).isOne();
    }

    /** The transaction of the paused holder is open: the next holder waits, and reads its writes. */
    @Test
    void theNextHolderWaitsForTheTransactionOfAPausedHolder() {
        ChildJvm paused = pauseAt(Place.BEFORE_THE_COMMIT, true);
        ChildJvm next = start(Place.NOWHERE, true);
        awaitEntering();
        paused.resume();

        paused.awaitLine(FencedApplication.COMMITTED::equals, Patience.TIME);
        awaitDone(next);
        assertThat(balance()).isEqualTo(2);
    }

    @Test
    void theNextHolderWaitsForAHolderPausedBetweenReadAndWrite() {
        ChildJvm paused = pauseAt(Place.BETWEEN_READ_AND_WRITE, true);
        ChildJvm next = start(Place.NOWHERE, true);
        awaitEntering();
        paused.resume();

        awaitDone(next);
        assertThat(end(paused)).as("found by the check before the commit").startsWith(FencedApplication.REFUSED);
        assertThat(balance()).isOne();
    }

    /** The control: the lock alone, also with the check before the commit, loses an update. */
    @Test
    void anUpdateIsLostWithoutAFence() {
        ChildJvm paused = pauseAt(Place.BEFORE_THE_COMMIT, false);
        ChildJvm next = start(Place.NOWHERE, false);
        awaitWaiting("UPDATE account%");
        paused.resume();

        paused.awaitLine(FencedApplication.COMMITTED::equals, Patience.TIME);
        awaitDone(next);
        assertThat(balance()).as("after two commits").isOne();
    }

    private ChildJvm pauseAt(Place place, boolean fenced) {
        ChildJvm jvm = start(place, fenced);
        jvm.awaitLine(FencedApplication.STANDING::equals, Patience.TIME);
        jvm.pause();
        return jvm;
    }

    private ChildJvm start(Place place, boolean fenced) {
        ChildJvm jvm = ChildJvm.start(
                FencedApplication.class,
                RedisApplication.arguments(
                        REDIS.server(),
                        "--spring.datasource.url=" + postgres.url(),
                        "--spring.datasource.username=postgres",
                        "--distributed-lock.lease=" + (place == Place.NOWHERE ? "30s" : "1s"),
                        "--test.place=" + place,
                        "--test.fenced=" + fenced));
        all.add(jvm);
        return jvm;
    }

    private void awaitEntering() {
        awaitWaiting("INSERT INTO distributed_lock_fence%");
    }

    /** Until a statement waits for a row. */
    private void awaitWaiting(String statement) {
        Awaitility.await()
                .atMost(Patience.TIME)
                .until(() -> jdbc.queryForObject(
                                "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE ?",
                                Integer.class,
                                statement)
                        > 0);
    }

    private static void awaitDone(ChildJvm jvm) {
        assertThat(end(jvm)).isEqualTo(FencedApplication.DONE);
    }

    private static String end(ChildJvm jvm) {
        return jvm.awaitLine(
                line -> line.equals(FencedApplication.DONE) || line.startsWith(FencedApplication.REFUSED),
                Patience.TIME);
    }

    private int balance() {
        Integer balance = jdbc.queryForObject("SELECT balance FROM account", Integer.class);
        return balance == null ? 0 : balance;
    }
}

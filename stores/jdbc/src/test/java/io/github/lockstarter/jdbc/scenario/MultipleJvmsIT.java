package io.github.lockstarter.jdbc.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.server.PostgresServer;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several JVMs on one PostgreSQL. */
class MultipleJvmsIT {

    private static final int JVMS = 3;
    private static final int THREADS = 8;
    private static final int INCREMENTS = 125;
    private static final int ALL = JVMS * THREADS * INCREMENTS;

    private static PostgresServer server;
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
        database = TestDatabase.of(server).prepared();
        database.execute("CREATE TABLE counter (n BIGINT NOT NULL, fence BIGINT NOT NULL)");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void losesNoIncrementUnderALock() {
        List<String> printed = increment(true);

        assertThat(database.number("SELECT n FROM counter")).isEqualTo(ALL);
        assertThat(printed).noneMatch(line -> line.startsWith("late"));
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock")).isZero();
    }

    @Test
    @Tag(Effort.FULL)
    void losesIncrementsWithoutALock() {
        increment(false);

        assertThat(database.number("SELECT n FROM counter")).isLessThan(ALL);
    }

    private static List<String> increment(boolean isLocked) {
        database.execute("DELETE FROM counter", "INSERT INTO counter VALUES (0, 0)");
        String[] arguments = ChildClient.arguments(
                database, String.valueOf(THREADS), String.valueOf(INCREMENTS), String.valueOf(isLocked));
        List<ChildJvm> jvms = IntStream.range(0, JVMS)
                .mapToObj(i -> ChildJvm.start(IncrementingJvm.class, arguments))
                .toList();
        try {
            jvms.forEach(jvm -> assertThat(jvm.awaitExit(Duration.ofSeconds(100)))
                    .as("%s", jvm.lines())
                    .isZero());
            return jvms.stream().flatMap(jvm -> jvm.lines().stream()).toList();
        } finally {
            jvms.forEach(ChildJvm::close);
        }
    }

    @Test
    @Tag(Effort.FULL)
    void acquiresAtTheEndOfTheLeaseWhenTheHolderIsKilled() {
        Duration lease = Duration.ofSeconds(4);
        try (JdbcStore store = new JdbcStore(database);
                Application next = Application.over(store.connect());
                ChildJvm holder = ChildJvm.start(
                        HoldingJvm.class,
                        ChildClient.arguments(database, "killed", String.valueOf(lease.toMillis())))) {
            String held = holder.awaitLine(line -> line.startsWith("held"), Duration.ofSeconds(20));

            long killed = System.nanoTime();
            holder.kill();
            LockHandle taken = next.locks().acquire(LockRequest.of("killed").waitingUpTo(Duration.ofSeconds(20)));
            Duration waited = Duration.ofNanos(System.nanoTime() - killed);

            // The holder renews after a third of its lease: between half and all of it remains.
            assertThat(waited).isBetween(lease.dividedBy(2), lease.plusSeconds(5));
            assertThat(taken.fencingToken()).isGreaterThan(Long.parseLong(held.substring("held ".length())));
            taken.release();
        }
    }
}

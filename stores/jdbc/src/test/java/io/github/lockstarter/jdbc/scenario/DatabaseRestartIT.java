package io.github.lockstarter.jdbc.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.kit.server.PostgresServer;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.Optional;
import java.util.TimeZone;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Restarts of the server and ends of its sessions that a lock survives. */
class DatabaseRestartIT {

    @Test
    void keepsALockThroughARestartAndGrantsGreaterTokensAfterwards() {
        long before;
        try (PostgresServer server = PostgresServer.start()) {
            TestDatabase database = TestDatabase.of(server).prepared();
            HikariDataSource pool = database.pool(6);
            JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcStore.settings());
            backend.start();
            Application application = Application.over(backend, Application.settings(Duration.ofSeconds(60)));
            LockHandle held = application.locks().acquire(LockRequest.of("restarted"));
            before = held.fencingToken();
            server.stop();
            server.restart();

            try (JdbcStore others = new JdbcStore(database);
                    Application other = Application.over(others.connect())) {
                assertThat(held.isHeld()).isTrue();
                assertThat(other.locks().tryAcquire(LockRequest.of("restarted").withoutWaiting()))
                        .isEmpty();
                await().untilAsserted(() -> assertThatCode(
                                () -> held.extend(LockRequest.of(held.key()).lease(Duration.ofSeconds(90))))
                        .doesNotThrowAnyException());
                held.release();

                LockHandle next = other.locks().acquire(LockRequest.of("restarted"));

                assertThat(next.fencingToken()).isGreaterThan(before);
                next.release();
                application.close();
                backend.close();
                pool.close();
            }
        }
    }

    @Test
    @Tag(Effort.FULL)
    void countsLeasesByTheClockOfTheDatabaseWhateverTheTimeZones() {
        TimeZone mine = TimeZone.getDefault();
        try (PostgresServer server = PostgresServer.start()) {
            TestDatabase database = TestDatabase.of(server).prepared();
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
            try (JdbcStore tokyo = new JdbcStore(database);
                    Application first = Application.over(tokyo.connect())) {
                LockHandle held = first.locks().acquire(LockRequest.of("zone").lease(Duration.ofSeconds(60)));
                TimeZone.setDefault(TimeZone.getTimeZone("America/Los_Angeles"));
                try (JdbcStore la = new JdbcStore(database);
                        Application second = Application.over(la.connect())) {
                    Optional<LockHandle> refused =
                            second.locks().tryAcquire(LockRequest.of("zone").withoutWaiting());

                    assertThat(refused).isEmpty();
                    assertThat(database.number("SELECT COUNT(*) FROM distributed_lock WHERE lock_until BETWEEN"
                                    + " now() AND now() + INTERVAL '61 seconds'"))
                            .isEqualTo(1);
                    held.release();
                }
            }
        } finally {
            TimeZone.setDefault(mine);
        }
    }
}

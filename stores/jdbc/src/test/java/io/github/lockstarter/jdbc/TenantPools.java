package io.github.lockstarter.jdbc;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Two instances whose application leaves the schema of a tenant set on its connections. */
final class TenantPools {

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final LockToken FIRST = new LockToken("0123456789abcdef0123456789abcdef", 1);
    private static final LockToken SECOND = new LockToken("fedcba9876543210fedcba9876543210", 1);

    private TenantPools() {}

    /** The tenant's schema has a table for locks, too. */
    static void assertOneOwner(TestDatabase database, String leadToTenant) throws SQLException {
        JdbcSettings settings = JdbcStore.settings();
        try (HikariDataSource one = database.pool(1);
                HikariDataSource other = database.pool(1);
                JdbcLockBackend first = new JdbcLockBackend(one, settings);
                JdbcLockBackend second = new JdbcLockBackend(other, settings)) {
            first.start();
            second.start();
            assertThat(answer(first.attemptAcquire(attempt(FIRST)))).isInstanceOf(AcquireResult.Granted.class);
            lead(one, leadToTenant);
            lead(other, leadToTenant);

            assertThat(answer(second.attemptAcquire(attempt(SECOND)))).isInstanceOf(AcquireResult.Contended.class);
            assertThat(answer(first.renewLeases(List.of(new RenewCommand("key", FIRST, LEASE, 0, 0)))
                            .get(0)))
                    .isInstanceOf(RenewResult.Renewed.class);
            assertThat(answer(first.releaseToken(new ReleaseCommand("key", FIRST, 0))))
                    .isInstanceOf(ReleaseResult.Released.class);
        }
    }

    private static void lead(HikariDataSource pool, String toTenant) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(toTenant);
        }
    }

    private static AcquireCommand attempt(LockToken token) {
        return new AcquireCommand("key", token, LEASE, 0, 1, Optional.empty());
    }
}

package io.github.lockstarter.autoconfigure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.LockBackend;
import javax.sql.DataSource;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

@ExtendWith(OutputCaptureExtension.class)
class JdbcLockConfigurationTests {

    private static final String ROWS = "SELECT COUNT(*) FROM distributed_lock";

    private final TestDatabase database = H2Databases.empty();

    private final ApplicationContextRunner locks = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, JdbcLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=jdbc");

    private final ApplicationContextRunner application = locks.withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + database.url(), "spring.datasource.username=sa");

    @Test
    void keepsLocksInTheDatabaseOfTheApplication() {
        database.prepared();
        application.run(context -> {
            assertThat(context).hasSingleBean(JdbcLockBackend.class);
            try (LockHandle held = context.getBean(LockTemplate.class).acquire("order:1")) {
                assertThat(held.fencingToken()).isPositive();
                assertThat(database.number(ROWS)).isEqualTo(1);
            }
            assertThat(database.number(ROWS)).isZero();
        });
    }

    /** The class path of this module has no other store. */
    @Test
    void isTheDefaultWithoutAnotherStoreModule() {
        database.prepared();
        application
                .withPropertyValues("distributed-lock.backend=")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(JdbcLockBackend.class));
    }

    @Test
    void logsThatLocksOfACrashedInstanceEndWithTheirLease(CapturedOutput output) {
        database.prepared();
        application.run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("Locks of a crashed instance are free when their leases are over");
    }

    @Test
    void doesNotJoinTheTransactionOfTheCaller() {
        database.prepared();
        DataSource pool = new DriverManagerDataSource(database.url(), database.user(), "");
        locks.withBean(DataSource.class, () -> new TransactionAwareDataSourceProxy(pool))
                .run(context -> {
                    LockTemplate template = context.getBean(LockTemplate.class);
                    TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
                    LockHandle released = template.acquire("released");
                    LockHandle[] acquired = new LockHandle[1];

                    transaction.executeWithoutResult(status -> {
                        acquired[0] = template.acquire(LockRequest.of("acquired"));
                        released.release();
                        status.setRollbackOnly();
                    });

                    assertThat(database.number(ROWS)).isEqualTo(1);
                    assertThat(acquired[0].isHeld()).isTrue();
                    acquired[0].release();
                    assertThat(database.number(ROWS)).isZero();
                });
    }

    static class Catalog {
        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public void browse() {}
    }

    @Test
    void refusesALockThatIsRead() {
        application
                .withBean(Catalog.class)
                .withPropertyValues("distributed-lock.jdbc.required-at-start=false")
                .run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains("Lock 'catalog' is read (mode READ), and the store 'jdbc' has no locks for readers.")
                        .contains("Leave the mode out, or keep the lock in another store"));
    }

    @Test
    void usesNoDatabaseWithTheBackendForTests() {
        database.prepared();
        application
                .withPropertyValues("distributed-lock.backend=local", "distributed-lock.further-backends=jdbc")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    try (LockHandle held =
                            context.getBean("jdbcLocks", LockTemplate.class).acquire("orders:b")) {
                        assertThat(held.isHeld()).isTrue();
                        assertThat(database.number(ROWS)).isZero();
                    }
                });
    }

    @Test
    void failsWithoutATableAndSaysHowToCreateOne() {
        application
                .withPropertyValues("distributed-lock.jdbc.initialize-schema=never")
                .run(context -> assertThatReport(context)
                        .contains("distributed_lock", "missing")
                        .contains("Set distributed-lock.jdbc.initialize-schema=always, or create both with the script"
                                + " io/github/lockstarter/jdbc/h2.sql on the class path, or name another table in"
                                + " distributed-lock.jdbc.table")
                        .contains("distributed-lock.jdbc.required-at-start=false"));
    }

    @Test
    void startsWithoutATableWhenNotRequired(CapturedOutput output) {
        application
                .withPropertyValues(
                        "distributed-lock.jdbc.required-at-start=false",
                        "distributed-lock.jdbc.initialize-schema=never")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).contains("Locked methods fail until then");
                });
    }

    @Test
    void createsTheTableInAnEmbeddedDatabaseOnce(CapturedOutput output) {
        for (int start = 0; start < 2; start++) {
            application
                    .withPropertyValues("distributed-lock.jdbc.table=job_locks")
                    .run(context -> {
                        try (LockHandle held =
                                context.getBean(LockTemplate.class).acquire("order:1")) {
                            assertThat(database.number("SELECT COUNT(*) FROM job_locks"))
                                    .isEqualTo(1);
                            assertThat(held.isHeld()).isTrue();
                        }
                    });
        }

        assertThat(output)
                .contains("Distributed locks are kept in the database "
                        + database.url().substring("jdbc:".length()).replaceFirst(";.*", "")
                        + ", table \"PUBLIC\".job_locks");
    }

    @Test
    void startsWithoutADatabaseWhenTheTableIsNotRequired(CapturedOutput output) {
        application
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://localhost:1/none",
                        "spring.datasource.hikari.connection-timeout=250",
                        "distributed-lock.jdbc.command-timeout=250ms",
                        "distributed-lock.jdbc.initialize-schema=always",
                        "distributed-lock.jdbc.required-at-start=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).contains("Locked methods fail until then");
                });
    }

    @Test
    void initialisationCallbacksLockOnceTheApplicationHasCreatedTheTable() {
        locks.withBean("locking", LockingBean.class)
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class, DataSourceInitializationAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=sa",
                        "spring.sql.init.schema-locations=classpath:io/github/lockstarter/jdbc/h2.sql",
                        "distributed-lock.jdbc.initialize-schema=never")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Locks before the context is complete. */
    static final class LockingBean implements InitializingBean {

        private final LockTemplate template;

        LockingBean(LockTemplate template) {
            this.template = template;
        }

        @Override
        public void afterPropertiesSet() {
            template.acquire("order:1").release();
        }
    }

    @Test
    void failsWithoutADataSource() {
        locks.run(context -> assertThatReport(context)
                .contains("no DataSource", "spring.datasource.url", "distributed-lock.backend=local"));
    }

    @Test
    void failsWithSeveralUnmarkedDataSources() {
        locks.withBean("first", DataSource.class, DriverManagerDataSource::new)
                .withBean("second", DataSource.class, DriverManagerDataSource::new)
                .run(context -> assertThatReport(context).contains("several DataSource", "@DistributedLockDataSource"));
    }

    @Test
    void namesAnInvalidProperty() {
        application.withPropertyValues("distributed-lock.jdbc.table=a b").run(context -> assertThatReport(context)
                .contains("distributed-lock.jdbc.table"));
        application.withPropertyValues("distributed-lock.jdbc.threads=0").run(context -> assertThatReport(context)
                .contains("distributed-lock.jdbc.threads"));
    }

    @Test
    void startFailsForAnUnknownProperty() {
        application.withPropertyValues("distributed-lock.jdbc.thread=4").run(context -> assertThatReport(context)
                .contains("distributed-lock.jdbc.thread does not exist"));
    }

    @Test
    void backsOffFromABackendOfTheApplication() {
        application.withBean(LockBackend.class, LocalLockBackend::new).run(context -> assertThat(context)
                .doesNotHaveBean(JdbcLockBackend.class)
                .hasNotFailed());
    }

    private static AbstractStringAssert<?> assertThatReport(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return assertThat(FailureReport.of(context.getStartupFailure()));
    }
}
